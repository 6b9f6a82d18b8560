import gc
import random

import torch


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)


def release():
    gc.collect()
    torch.cuda.empty_cache()
    return torch.cuda.memory_allocated(), torch.cuda.device_count()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
seed_everything(0)
x = torch.randn(3, device=device)
print(x.shape, len(release()))
print((torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)).sum().item())
