import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def measure(model, x):
    torch.cuda.reset_peak_memory_stats()
    model(x).sum().backward()
    torch.cuda.synchronize()
    return torch.cuda.max_memory_allocated()


print(measure(nn.Linear(8, 8).to(device), torch.randn(4, 8, device=device)) >= 0)
