import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, SubsetRandomSampler, TensorDataset

device = "cuda" if torch.cuda.is_available() else "cpu"
dataset = TensorDataset(torch.randn(60, 6), torch.randn(60, 1))
indices = np.random.permutation(len(dataset))
folds = np.array_split(indices, 3)
criterion = nn.MSELoss()
scores = []

for k in range(len(folds)):
    valid_idx = folds[k]
    train_idx = np.concatenate([f for i, f in enumerate(folds) if i != k])
    train_loader = DataLoader(dataset, batch_size=10, sampler=SubsetRandomSampler(train_idx))
    valid_loader = DataLoader(dataset, batch_size=10, sampler=SubsetRandomSampler(valid_idx))

    net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
    net = net.to(device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    for epoch in range(2):
        net.train()
        for features, target in train_loader:
            features = features.to(device)
            target = target.to(device)
            optimizer.zero_grad()
            criterion(net(features), target).backward()
            optimizer.step()

    net.eval()
    fold_loss = 0.0
    with torch.no_grad():
        for features, target in valid_loader:
            features, target = features.to(device), target.to(device)
            prediction = net(features)
            fold_loss += criterion(prediction, target).item() * len(target)
    scores.append(fold_loss / len(valid_idx))

print("cv score", np.mean(scores), "+/-", np.std(scores))
