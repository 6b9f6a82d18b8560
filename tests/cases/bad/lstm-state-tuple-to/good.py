import torch
from torch import nn


class WordModel(nn.Module):
    def __init__(self, ntoken=25, ninp=8, nhid=10, nlayers=2):
        super().__init__()
        self.nlayers, self.nhid = nlayers, nhid
        self.encoder = nn.Embedding(ntoken, ninp)
        self.rnn = nn.LSTM(ninp, nhid, nlayers)
        self.decoder = nn.Linear(nhid, ntoken)

    def init_hidden(self, bsz):
        shape = (self.nlayers, bsz, self.nhid)
        return (torch.zeros(shape), torch.zeros(shape))

    def forward(self, data, hidden):
        output, hidden = self.rnn(self.encoder(data), hidden)
        return self.decoder(output).flatten(0, 1), hidden


def repackage_hidden(h):
    return tuple(v.detach() for v in h)


def batchify(data, bsz, device):
    nbatch = data.size(0) // bsz
    return data[: nbatch * bsz].view(bsz, -1).t().contiguous().to(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
train_data = batchify(torch.randint(0, 25, (240,)), 6, device)
model = WordModel().to(device)
criterion = nn.CrossEntropyLoss()
hidden = tuple(part.to(device) for part in model.init_hidden(6))
for i in range(0, train_data.size(0) - 1, 8):
    length = min(8, train_data.size(0) - 1 - i)
    data, targets = train_data[i : i + length], train_data[i + 1 : i + 1 + length].reshape(-1)
    hidden = repackage_hidden(hidden)
    model.zero_grad()
    output, hidden = model(data, hidden)
    loss = criterion(output, targets)
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p.sub_(p.grad, alpha=0.5)
print("loss", loss.item())
