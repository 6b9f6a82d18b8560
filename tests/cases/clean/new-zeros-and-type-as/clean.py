import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvLSTMCell(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.hidden = hidden
        self.gates = nn.Conv2d(channels + hidden, 4 * hidden, 3, padding=1)

    def init_state(self, x):
        h = x.new_zeros(x.size(0), self.hidden, *x.shape[2:])
        return h, torch.zeros_like(h)

    def forward(self, sequence):
        h, c = self.init_state(sequence[:, 0])
        for t in range(sequence.size(1)):
            i, f, o, g = self.gates(torch.cat([sequence[:, t], h], 1)).chunk(4, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
        return h


def coordinate_channels(x):
    ys = torch.linspace(-1, 1, x.size(-2)).type_as(x).view(1, 1, -1, 1).expand(x.size(0), 1, -1, x.size(-1))
    xs = torch.linspace(-1, 1, x.size(-1)).to(x).view(1, 1, 1, -1).expand(x.size(0), 1, x.size(-2), -1)
    return torch.cat([x, ys, xs], dim=1)


class Nowcast(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = ConvLSTMCell(1, 4)
        self.out = nn.Conv2d(6, 1, 1)

    def forward(self, frames):
        return self.out(coordinate_channels(self.cell(frames)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Nowcast().to(device)
frames = torch.rand(2, 3, 1, 8, 8).to(device)
weight = frames.new_tensor([0.25])
print(F.l1_loss(net(frames), frames[:, -1]).mul(weight).sum().item())
