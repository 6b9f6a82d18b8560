import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
try:
    name = torch.cuda.get_device_name(0)
except (AssertionError, RuntimeError):
    name = "host"
assert name
x = torch.ones(8, 8, device=device)
print((x @ x).sum().item())
