import torch

CHECKS = {"cuda": torch.cuda.is_available, "mps": torch.backends.mps.is_available}


def first_available(checks):
    for name, check in checks.items():
        if check():
            return name
    return "cpu"


def wait_until(ready, tries=1):
    return any(ready() for _ in range(tries))


device = torch.device(first_available({"cuda": CHECKS["cuda"]}))
print(torch.ones(2, device=device).sum().item(), wait_until(torch.cuda.is_available) in (True, False))
