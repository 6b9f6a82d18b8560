import torch

if torch.accelerator.is_available():
    device = torch.accelerator.current_accelerator()
    torch.accelerator.synchronize()
else:
    device = torch.device("cpu")
x = torch.ones(8, 8, device=device)
y = x @ x
if device.type != "cpu":
    torch.accelerator.synchronize()
print(y.sum().item())
