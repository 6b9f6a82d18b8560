import torch

BATCH = {"cuda": 8, "mps": 4, "cpu": 2}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
size = BATCH[device.type]
match device.type:
    case "cuda":
        workers = 2
    case _:
        workers = 0
name = f"{device}"
if name == "cpu" or name.startswith("cuda"):
    x = torch.ones(size, 4, device=device)
print((x @ x.T).sum().item() > 0, workers, repr(device) != name)
