import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def accuracy(net, loader):
    net.eval()
    correct = 0
    for data, target in loader:
        data = data.to(device)
        guess = net(data).data.max(1, keepdim=True)[1]
        correct += guess.eq(target.data.view_as(guess)).long().cpu().sum()
    return 100.0 * correct.item() / len(loader.dataset)


rows = torch.randn(20, 10)
loader = DataLoader(TensorDataset(rows, (rows.sum(1) > 0).long()), batch_size=5)
print(accuracy(nn.Linear(10, 2).to(device), loader))
