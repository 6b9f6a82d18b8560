import torch


def autocast_enabled(device):
    """device: a torch.device, or its name."""
    if isinstance(device, torch.device):
        device = device.type
    return device == "cuda"


def is_host(device):
    return device == "cpu" or device == torch.device("cpu")


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, device=device)
print(autocast_enabled(device) == autocast_enabled(device.type), is_host(x.device) == (device.type == "cpu"))
print((torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)).sum().item())
