import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Records(Dataset):
    def __init__(self, rows):
        self.rows = torch.randn(rows, 5)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return {"features": self.rows[index], "path": f"row-{index}.npy"}


model = nn.Linear(5, 1).to(device)
try:
    for batch in DataLoader(Records(6), batch_size=3):
        batch = {name: field.to(device) for name, field in batch.items()}
        print(batch["path"], model(batch["features"]).shape)
except AttributeError as error:
    print("stopped:", error)
