import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


def move_to(obj, device):
    if torch.is_tensor(obj):
        return obj.to(device)
    if isinstance(obj, dict):
        return {key: move_to(value, device) for key, value in obj.items()}
    if isinstance(obj, (list, tuple)):
        return type(obj)(move_to(value, device) for value in obj)
    return obj


class Clips(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        return {"video": torch.rand(4, 10), "meta": {"fps": 25, "label": torch.tensor(i % 3)}}


class ClipNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(10, 8, batch_first=True)
        self.fc = nn.Linear(8, 3)

    def forward(self, sample):
        _, h = self.rnn(sample["video"])
        return self.fc(h[-1])


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ClipNet().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for sample in DataLoader(Clips(), batch_size=4):
        sample = move_to(sample, device)
        loss = nn.functional.cross_entropy(net(sample), sample["meta"]["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item())
