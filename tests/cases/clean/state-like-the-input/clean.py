import torch
from torch import nn


class Reader(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(4, 6, batch_first=True)

    def forward(self, x, state=None):
        if state is None:
            state = x.new_zeros(1, x.size(0), 6), torch.zeros(1, x.size(0), 6).to(x)
        return self.rnn(x, state)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
reader = Reader().to(device)
x = torch.randn(2, 3, 4, device=device)
out, state = reader(x)
print(reader(x, state)[0].shape)
