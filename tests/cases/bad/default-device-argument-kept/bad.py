import torch
import torch.nn as nn


class RelativePosition(nn.Module):
    def __init__(self, units, reach, device="cpu"):
        super().__init__()
        self.reach = reach
        self.table = nn.Embedding(2 * reach + 1, units)
        self.device = device

    def forward(self, length):
        position = torch.arange(length, device=self.device)
        distance = (position[None, :] - position[:, None]).clamp(-self.reach, self.reach)
        return self.table(distance + self.reach)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
relative = RelativePosition(4, 3).to(device)
print(relative(5).shape)
