import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.cell = nn.GRUCell(3, size)
        self.out = nn.Linear(size, 3)

    def first_state(self, count):
        return torch.zeros(count, self.size)

    def forward(self, steps):
        state = self.first_state(steps.size(0))
        answers = []
        for step in steps.unbind(1):
            state = self.cell(step, state)
            answers.append(self.out(state))
        return torch.stack(answers, dim=1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
decoder = Decoder(6).to(device)
print(decoder(torch.randn(2, 4, 3, device=device)).shape)
