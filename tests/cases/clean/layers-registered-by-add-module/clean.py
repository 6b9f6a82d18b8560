import torch
from torch import nn


class Dense(nn.Module):
    def __init__(self, width=4, depth=3):
        super().__init__()
        self.blocks = []
        for index in range(depth):
            block = nn.Linear(width, width)
            self.add_module(f"block{index}", block)
            self.blocks.append(block)

    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return x


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Dense().to(device)(torch.ones(2, 4, device=device)).shape)
