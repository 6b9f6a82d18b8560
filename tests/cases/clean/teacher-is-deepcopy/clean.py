from copy import deepcopy

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class MeanTeacher:
    def __init__(self, student, device, momentum=0.95):
        self.student = student.to(device)
        self.teacher = deepcopy(self.student)
        self.teacher.requires_grad_(False)
        self.momentum = momentum
        self.device = device

    def update_teacher(self):
        for old, new in zip(self.teacher.parameters(), self.student.parameters()):
            old.data.mul_(self.momentum).add_(new.data, alpha=1 - self.momentum)

    def train(self, loader, optimizer):
        for x, y in loader:
            x, y = x.to(self.device), y.to(self.device)
            logits = self.student(x + 0.1 * torch.randn_like(x))
            with torch.no_grad():
                soft = self.teacher(x).softmax(dim=1)
            loss = F.cross_entropy(logits, y) + F.kl_div(logits.log_softmax(1), soft, reduction="batchmean")
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            self.update_teacher()
        return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
student = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 3))
trainer = MeanTeacher(student, device)
optimizer = torch.optim.Adam(student.parameters())
loader = DataLoader(TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,))), batch_size=8)
print(trainer.train(loader, optimizer))
