import torch
from torch import nn

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")


class Positions(nn.Module):
    def __init__(self, length, width):
        super().__init__()
        self.table = nn.Embedding(length, width)
        self.mix = nn.Linear(width, width)

    def forward(self, x):
        where = x.device
        places = torch.arange(x.size(1), device=where)
        scale = torch.ones(1, device=self.mix.weight.device)
        return self.mix(x + self.table(places) * scale)


model = nn.DataParallel(Positions(6, 4).to(device))
print(model(torch.randn(4, 5, 4, device=device)).shape)
