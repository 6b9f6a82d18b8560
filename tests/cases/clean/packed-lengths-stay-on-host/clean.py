import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class Tagger(nn.Module):
    def __init__(self, vocab, dim, tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, tags)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = self.lstm(packed)
        hidden, _ = pad_packed_sequence(hidden, batch_first=True)
        return self.out(hidden)


def make_batch(n):
    rows = [torch.randint(1, 25, (k,)) for k in torch.randint(2, 8, (n,)).tolist()]
    lengths = torch.tensor([len(r) for r in rows])
    tokens = pad_sequence(rows, batch_first=True)
    return tokens, lengths, (tokens > 12).long()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger(25, 6, 2).to(device)
optimizer = torch.optim.Adam(tagger.parameters())
for _ in range(3):
    tokens, lengths, tags = make_batch(5)
    tokens, tags = tokens.to(device), tags.to(device)
    logits = tagger(tokens, lengths)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tags.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
