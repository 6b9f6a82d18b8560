import torch
import torch.nn as nn


class Batch:
    def __init__(self, src, trg, pad=0):
        self.src, self.trg = src, trg
        self.src_mask = (src != pad).unsqueeze(-2)
        self.ntokens = int((trg != pad).sum())

    def to(self, device):
        self.src = self.src.to(device)
        self.trg = self.trg.to(device)
        self.src_mask = self.src_mask.to(device)


class Copier(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.generator = nn.Linear(dim, vocab)

    def forward(self, src, src_mask):
        x = self.embed(src)
        y, _ = self.mix(x, x, x, key_padding_mask=~src_mask.squeeze(1))
        return self.generator(x + y)


def data_gen(vocab, batch_size, n):
    for _ in range(n):
        data = torch.randint(1, vocab, (batch_size, 7))
        yield Batch(data, data.clone())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Copier(11, 8).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for batch in data_gen(11, 4, 3):
    batch.to(device)
    logits = model(batch.src, batch.src_mask)
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch.trg.flatten(), reduction="sum") / batch.ntokens
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
