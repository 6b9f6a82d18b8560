import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def workers(device):
    if device == "cpu":
        return 0
    return 2 if device.startswith("cuda") else 1


dtype = torch.float16 if device == "cuda" else torch.float32
x = torch.ones(4, device=device, dtype=dtype)
kind = x.device.type
if kind in ("cuda", "mps") or device in ["xpu"]:
    torch.manual_seed(0)
print(workers(device) >= 0, str(x.device) == "cpu" or "cuda" in str(x.device))
print((torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)).sum().item())
