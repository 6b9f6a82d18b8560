import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
scale = nn.Parameter(torch.ones(3).to(device))
shift = torch.zeros(3, device=device, requires_grad=True)
noise = torch.randn(3).to(device).requires_grad_()
optimizer = torch.optim.SGD([scale, shift, noise], lr=0.1)
(torch.ones(2, 3, device=device) * scale + shift + noise).sum().backward()
optimizer.step()
