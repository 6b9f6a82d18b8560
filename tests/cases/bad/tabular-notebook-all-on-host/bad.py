import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print("using", device)

rng = np.random.RandomState(7)
raw = rng.rand(150, 5).astype(np.float32)
price = (raw @ np.array([3.0, -2.0, 0.5, 1.0, 4.0], dtype=np.float32)).reshape(-1, 1)

order = rng.permutation(len(raw))
train_rows, test_rows = order[:120], order[120:]
X_train = torch.tensor(raw[train_rows])
X_test = torch.tensor(raw[test_rows])
y_train = torch.tensor(price[train_rows])
y_test = torch.tensor(price[test_rows])


class HousePrices(nn.Module):
    def __init__(self, n_features):
        super().__init__()
        self.hidden = nn.Linear(n_features, 24)
        self.out = nn.Linear(24, 1)

    def forward(self, x):
        return self.out(F.relu(self.hidden(x)))


net = HousePrices(X_train.shape[1])
optimizer = torch.optim.Adam(net.parameters(), lr=0.02)

for epoch in range(30):
    optimizer.zero_grad()
    loss = F.mse_loss(net(X_train), y_train)
    loss.backward()
    optimizer.step()

with torch.no_grad():
    rmse = F.mse_loss(net(X_test), y_test).sqrt()
print(f"test rmse {rmse.item():.3f}")
