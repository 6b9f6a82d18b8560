import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class FocalLoss(nn.Module):
    def __init__(self, alpha, gamma=2.0):
        super().__init__()
        self.alpha = alpha
        self.gamma = gamma

    def forward(self, logits, target):
        log_p = F.log_softmax(logits, dim=1).gather(1, target.unsqueeze(1)).squeeze(1)
        alpha_t = self.alpha.gather(0, target)
        return (-alpha_t * (1 - log_p.exp()) ** self.gamma * log_p).mean()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    counts = torch.tensor([300.0, 50.0, 10.0])
    alpha = counts.sum() / (len(counts) * counts)
    model = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 3)).to(device)
    criterion = FocalLoss(alpha=alpha.to(device))
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(TensorDataset(torch.randn(30, 7), torch.randint(0, 3, (30,))), batch_size=10)
    for inputs, target in loader:
        inputs, target = inputs.to(device), target.to(device)
        loss = criterion(model(inputs), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())


if __name__ == "__main__":
    main()
