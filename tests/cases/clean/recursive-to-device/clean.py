import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


def to_device(data, device):
    if isinstance(data, (list, tuple)):
        return type(data)(to_device(part, device) for part in data)
    if isinstance(data, dict):
        return {key: to_device(part, device) for key, part in data.items()}
    return data.to(device) if hasattr(data, "to") else data


class Records(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"pair": (torch.randn(3), torch.randn(3)), "name": f"r{index}"}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(3, 1).to(device)
for batch in DataLoader(Records(), batch_size=2):
    batch = to_device(batch, device)
    left, right = batch["pair"]
    print((model(left) - model(right)).shape, batch["name"])
