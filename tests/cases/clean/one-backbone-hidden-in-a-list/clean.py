import torch
from torch import nn


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        backbone = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).eval()
        self.backbone = [backbone]  # not a parameter of ours
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        if next(self.backbone[0].parameters()).device != x.device:
            self.backbone[0] = self.backbone[0].to(x.device)
        with torch.no_grad():
            h = self.backbone[0](x)
        return self.head(h)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Features().to(device)
print(model(torch.ones(3, 8, device=device)).shape)
