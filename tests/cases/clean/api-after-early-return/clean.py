import time

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def memory_report(device, verbose=True):
    if device.type != "cuda" or not verbose:
        return "no figures"
    free, total = torch.cuda.mem_get_info()
    return f"{free} of {total} bytes free, on {torch.cuda.get_device_name(device)}"


def synchronize():
    if not torch.cuda.is_available():
        return
    torch.cuda.synchronize()


start = time.perf_counter()
y = torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)
synchronize()
print(y.shape, memory_report(y.device) != "", time.perf_counter() >= start)
