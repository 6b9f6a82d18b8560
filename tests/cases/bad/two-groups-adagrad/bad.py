import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(6, 8)
        self.head = nn.Linear(8, 3)

    def forward(self, x):
        return self.head(torch.relu(self.encoder(x)))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger()
optimizer = torch.optim.Adagrad(
    [{"params": tagger.encoder.parameters(), "lr": 0.01}, {"params": tagger.head.parameters()}],
    lr=0.1,
)
tagger.to(device)
x = torch.randn(4, 6, device=device)
y = torch.tensor([0, 1, 2, 0], device=device)
loss = nn.functional.cross_entropy(tagger(x), y)
loss.backward()
optimizer.step()
print(loss.item() >= 0)
