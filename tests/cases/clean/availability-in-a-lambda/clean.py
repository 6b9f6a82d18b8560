from functools import partial

import torch

flag = torch.cuda.is_available()
lazy = lambda: torch.cuda.is_available()
later = partial(torch.cuda.is_available)
probes = [torch.cuda.is_available, torch.backends.mps.is_available]
device = torch.device("cuda" if lazy() and later() and flag else "cpu")
x = torch.ones(4, 4, device=device)
print((x @ x).sum().item(), any(probe() for probe in probes) in (True, False))
