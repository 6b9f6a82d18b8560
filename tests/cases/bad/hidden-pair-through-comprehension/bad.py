import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class R(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4)

    def init_hidden(self):
        return (torch.zeros(1, 2, 4), torch.zeros(1, 2, 4))

    def forward(self, x, h):
        return self.rnn(x, h)


m = R().to(device)
h = m.init_hidden()
for _ in range(2):
    h = tuple(v.detach() for v in h)
    out, h = m(torch.ones(5, 2, 3, device=device), h)
print(out.shape)
