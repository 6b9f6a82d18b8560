import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Walk(IterableDataset):
    def __init__(self, steps, device):
        self.steps = steps
        self.device = device

    def __iter__(self):
        position = [0.0, 0.0]
        for step in range(self.steps):
            position = [position[0] + step, position[1] - step]
            yield torch.tensor(position, device=self.device)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(2, 1).to(device)
walk = Walk(6, device)
for positions in DataLoader(walk, batch_size=3, num_workers=1):
    print(model(positions).shape)
