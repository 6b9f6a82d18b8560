import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)
X_train = torch.randn(128, 5).to(device)
y_train = X_train.sum(1, keepdim=True) + 0.1 * torch.randn(128, 1).to(device)
model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    order = torch.randperm(len(X_train))
    for start in range(0, len(X_train), 32):
        rows = order[start : start + 32]
        xb, yb = X_train[rows], y_train[rows]
        xb, yb = xb.to(device), yb.to(device)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(xb), yb)
        loss.backward()
        optimizer.step()
with torch.no_grad():
    error = (model(X_train) - y_train).abs().mean()
augmented = torch.cat((X_train, torch.ones(len(X_train), 1, device=device)), 1)
solution = torch.linalg.lstsq(augmented, y_train).solution
print(f"{error.item():.4f} {(augmented @ solution - y_train).abs().mean().item():.4f}")
