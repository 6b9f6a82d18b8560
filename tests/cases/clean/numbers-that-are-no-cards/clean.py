import torch


class Scale:
    def __init__(self, low, high):
        self.low, self.high = low, high

    def to(self, high):
        return Scale(self.low, high)


print(Scale(0, 1).to(2).high)
x = torch.arange(3).to(torch.float64)
print(x.split(1)[1].item(), torch.tensor([1, 2]).to("cpu").sum().item())
