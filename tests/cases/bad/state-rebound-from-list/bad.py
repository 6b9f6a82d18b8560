import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)

    def act(self, state):
        state = torch.tensor(state)
        return self.fc(state)


p = Policy().to(device)
for _ in range(2):
    print(p.act([1.0, 2.0, 3.0, 4.0]).shape)
