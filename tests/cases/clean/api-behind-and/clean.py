import torch


def fast_path(x):
    return x.is_cuda and x.dim() == 2 and torch.cuda.get_device_capability(x.device) >= (8, 0)


def cached(tables):
    if tables[0].is_cuda:
        torch.cuda.current_stream(tables[0].device).synchronize()
    return tables


def sync(device):
    if str(device).startswith("cuda"):
        torch.cuda.synchronize(device)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(4, 4, device=device)
sync(x.device)
print(fast_path(x) in (True, False), len(cached([x])))
print((torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)).sum().item())
