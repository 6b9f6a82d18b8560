import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
inputs = torch.randn(40, 6).to(device)
scales = np.linspace(1.0, 0.5, num=4)
for step in range(4):
    optimizer.zero_grad()
    step_size = 2 * np.sqrt(scales[step])
    loss = (step_size * net(inputs) / np.sqrt(6)).pow(2).mean() * np.mean([1.0, 2.0])
    loss.backward()
    optimizer.step()
print(f"{loss.item():.4f}")
