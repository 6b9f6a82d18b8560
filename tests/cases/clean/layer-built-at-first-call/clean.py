import torch
from torch import nn


class LateHead(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.body = nn.Linear(4, 6)
        self.head = None

    def forward(self, x):
        x = torch.relu(self.body(x))
        if self.head is None:
            self.head = nn.Linear(x.shape[1], self.classes).to(x.device)
        return self.head(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(LateHead(2).to(device)(torch.ones(3, 4, device=device)).shape)
