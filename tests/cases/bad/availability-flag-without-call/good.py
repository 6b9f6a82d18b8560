import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    parser = argparse.ArgumentParser(description="toy regression")
    parser.add_argument("--no-cuda", action="store_true", default=False)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    args.device = torch.device("cuda" if args.cuda else "cpu")
    return args


def main():
    args = get_args()
    model = nn.Sequential(nn.Linear(3, 8), nn.Softplus(), nn.Linear(8, 1)).to(args.device)
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(TensorDataset(torch.randn(20, 3), torch.randn(20, 1)), batch_size=10)
    for _ in range(args.epochs):
        for x, y in loader:
            x, y = x.to(args.device), y.to(args.device)
            loss = nn.functional.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
