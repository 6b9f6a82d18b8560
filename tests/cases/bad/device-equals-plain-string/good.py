import argparse

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def seed_everything(seed, device):
    np.random.seed(seed)
    torch.manual_seed(seed)
    if device.type == "cuda":
        torch.backends.cudnn.deterministic = True


def make_loader(dataset, batch_size, device):
    pin = device.type == "cuda"
    return DataLoader(dataset, batch_size=batch_size, shuffle=True, pin_memory=pin)


def main(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    seed_everything(args.seed, device)
    net = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.5)
    loader = make_loader(TensorDataset(torch.randn(32, 8), torch.randn(32, 1)), args.batch_size, device)
    for features, values in loader:
        features = features.to(device, non_blocking=True)
        values = values.to(device, non_blocking=True)

        def closure():
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(net(features), values)
            loss.backward()
            return loss

        loss = optimizer.step(closure)
    print(device, loss.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--batch-size", type=int, default=16)
    main(parser.parse_args())
