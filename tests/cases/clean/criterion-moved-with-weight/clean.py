import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class LabelSmoothing(nn.Module):
    def __init__(self, class_frequency, eps=0.1):
        super().__init__()
        self.register_buffer("weight", 1.0 / class_frequency)
        self.eps = eps

    def forward(self, logits, target):
        log_p = logits.log_softmax(dim=-1)
        hard = -log_p.gather(1, target[:, None]).squeeze(1) * self.weight[target]
        return ((1 - self.eps) * hard - self.eps * log_p.mean(dim=-1)).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    frequency = torch.tensor([0.7, 0.2, 0.1])
    model = nn.Linear(8, 3)
    smooth = LabelSmoothing(frequency)
    plain = nn.CrossEntropyLoss(weight=1.0 / frequency)
    for module in (model, smooth, plain):
        module.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for x, y in DataLoader(TensorDataset(torch.randn(18, 8), torch.randint(0, 3, (18,))), batch_size=6):
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = smooth(logits, y) + plain(logits, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


main()
