import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import engine
from utils import pick_device


def main():
    device = pick_device()
    model = nn.Sequential(nn.Flatten(), nn.Linear(27, 5))
    model.to(device)
    optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.02)
    data = TensorDataset(torch.rand(20, 3, 3, 3), torch.randint(0, 5, (20,)))
    loader = DataLoader(data, batch_size=5)
    for epoch in range(2):
        engine.train_one_epoch(model, optimizer, loader, device)
        print(engine.evaluate(model, loader, device))


if __name__ == "__main__":
    main()
