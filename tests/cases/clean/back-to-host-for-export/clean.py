import io

import numpy as np
import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
optimizer = torch.optim.Adam(net.parameters())
for _ in range(3):
    x = torch.randn(16, 4, device=device)
    loss = (net(x).sum(1) - x.sum(1)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

net = net.cpu().eval()
example = torch.randn(1, 4)
scripted = torch.jit.trace(net, example)
buffer = io.BytesIO()
torch.jit.save(scripted, buffer)
weights = {name: p.detach().numpy() for name, p in net.named_parameters()}
by_hand = np.maximum(example.numpy() @ weights["0.weight"].T + weights["0.bias"], 0) @ weights["2.weight"].T + weights["2.bias"]
print(np.allclose(by_hand, scripted(example).detach().numpy(), atol=1e-5))
