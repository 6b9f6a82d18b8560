import numpy as np
import torch
import torch.nn as nn


def sliding_windows(series, length):
    xs = np.stack([series[i : i + length] for i in range(len(series) - length)])
    ys = series[length:]
    return torch.from_numpy(xs).float().unsqueeze(-1), torch.from_numpy(ys).float().unsqueeze(-1)


class Forecaster(nn.Module):
    def __init__(self, hidden_size=12):
        super().__init__()
        self.lstm = nn.LSTM(1, hidden_size, batch_first=True)
        self.linear = nn.Linear(hidden_size, 1)

    def forward(self, x):
        out, _ = self.lstm(x)
        return self.linear(out[:, -1])


device = "cuda" if torch.cuda.is_available() else "cpu"
passengers = np.sin(np.arange(120) / 6.0) + 0.1 * np.random.randn(120)
dataX, dataY = sliding_windows(passengers, 8)
train_size = int(len(dataY) * 0.67)

trainX = dataX[:train_size].to(device)
trainY = dataY[:train_size].to(device)
testX = dataX[train_size:]
testY = dataY[train_size:]

model = Forecaster().to(device)
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(10):
    optimizer.zero_grad()
    loss = criterion(model(trainX), trainY)
    loss.backward()
    optimizer.step()

model.eval()
with torch.no_grad():
    forecast = model(testX).cpu()
print("rmse", (forecast - testY).pow(2).mean().sqrt().item())
