import torch
from torch import nn


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.device = "cpu"
        self.body = nn.Linear(3, 2)

    def act(self, state):
        return self.body(torch.tensor(state, device=self.device)).argmax().item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy()
policy.device = device
policy.to(device)
print(policy.act([0.1, 0.2, 0.3]))
