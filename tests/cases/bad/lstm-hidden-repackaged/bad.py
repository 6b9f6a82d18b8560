"""LSTM language model with hidden state made on host in init_hidden."""
import torch
import torch.nn as nn


class RNNModel(nn.Module):
    def __init__(self, vocab, hid, layers):
        super().__init__()
        self.hid, self.layers = hid, layers
        self.encoder = nn.Embedding(vocab, hid)
        self.rnn = nn.LSTM(hid, hid, layers)
        self.decoder = nn.Linear(hid, vocab)

    def forward(self, x, hidden):
        out, hidden = self.rnn(self.encoder(x), hidden)
        return self.decoder(out).view(-1, self.decoder.out_features), hidden

    def init_hidden(self, bsz):
        return (torch.zeros(self.layers, bsz, self.hid),
                torch.zeros(self.layers, bsz, self.hid))


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    data = data.narrow(0, 0, nbatch * bsz)
    return data.view(bsz, -1).t().contiguous()


def get_batch(source, i, bptt):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].reshape(-1)


torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
vocab = 20
corpus = torch.randint(0, vocab, (400,))
train_data = batchify(corpus, 4).to(device)
model = RNNModel(vocab, 16, 2).to(device)
criterion = nn.CrossEntropyLoss()
lr = 1.0
for epoch in range(2):
    hidden = model.init_hidden(4)
    total = 0.0
    for i in range(0, train_data.size(0) - 1, 10):
        x, y = get_batch(train_data, i, 10)
        hidden = repackage_hidden(hidden)
        model.zero_grad()
        output, hidden = model(x, hidden)
        loss = criterion(output, y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data.add_(p.grad, alpha=-lr)
        total += loss.item()
    print(epoch, f"{total:.4f}")
