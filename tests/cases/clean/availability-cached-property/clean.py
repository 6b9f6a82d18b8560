from functools import cached_property

import torch


class Machine:
    @cached_property
    def has_cuda(self):
        return torch.cuda.is_available()

    @property
    def cards(self):
        return torch.cuda.device_count()


machine = Machine()
device = torch.device("cuda" if machine.has_cuda else "cpu")
if machine.cards > 1 and machine.has_cuda:
    print("several cards")
x = torch.ones(4, 4, device=device)
print((x @ x).sum().item())
