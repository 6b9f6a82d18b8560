import torch
from torch import nn


class Distiller(nn.Module):
    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self._teacher = [teacher.eval()]

    def forward(self, x):
        with torch.no_grad():
            goal = self._teacher[0](x)
        return nn.functional.mse_loss(self.student(x), goal)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
teacher = nn.Linear(4, 2).to(device)
distiller = Distiller(nn.Linear(4, 2), teacher).to(device)
distiller(torch.ones(3, 4, device=device)).backward()
