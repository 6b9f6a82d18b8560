import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
backend = torch.cuda if device.type == "cuda" else None


class CudaTimer:
    """Only made where there is a card."""

    def __init__(self):
        self.start = torch.cuda.Event(enable_timing=True)
        self.start.record()


x = torch.ones(4, device=device)
timer = CudaTimer() if device.type == "cuda" else None
if backend is not None:
    backend.synchronize()
print(x.sum().item(), (timer is None) == (backend is None))
