import numpy as np
import torch
from torch import nn


def folds(n, k, seed=0):
    order = np.random.RandomState(seed).permutation(n)
    parts = np.array_split(order, k)
    for i in range(k):
        yield np.concatenate(parts[:i] + parts[i + 1 :]), parts[i]


def build_network(n_in):
    return nn.Sequential(nn.Linear(n_in, 10), nn.BatchNorm1d(10), nn.ReLU(), nn.Linear(10, 1))


def cross_validate(X, y, device, k=3):
    scores = []
    for train, held_out in folds(len(X), k):
        X_train = torch.tensor(X[train], dtype=torch.float32, device=device)
        y_train = torch.tensor(y[train], dtype=torch.float32, device=device)
        X_valid = torch.tensor(X[held_out], dtype=torch.float32)
        net = build_network(X.shape[1]).to(device)
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        loss_fn = nn.BCEWithLogitsLoss()
        for _ in range(15):
            optimizer.zero_grad()
            loss_fn(net(X_train).squeeze(1), y_train).backward()
            optimizer.step()
        net.eval()
        with torch.no_grad():
            probability = torch.sigmoid(net(X_valid)).squeeze(1)
        scores.append(((probability.cpu().numpy() > 0.5) == (y[held_out] > 0.5)).mean())
    return scores


if __name__ == "__main__":
    X = np.random.randn(90, 4)
    y = (X.sum(1) > 0).astype("int64")
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print("fold accuracies", cross_validate(X, y, device))
