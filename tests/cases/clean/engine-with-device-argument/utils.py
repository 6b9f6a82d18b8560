import torch


def pick_device():
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("cpu")


def send(batch, device):
    return tuple(part.to(device, non_blocking=True) for part in batch)
