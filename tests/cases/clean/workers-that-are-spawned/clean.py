import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Rows(Dataset):
    def __init__(self, count):
        self.rows = torch.randn(count, 4)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index].to(device)


def loader_of(count, workers):
    if workers:
        return DataLoader(Rows(count), batch_size=2, num_workers=2, multiprocessing_context="spawn")
    return DataLoader(Rows(count), batch_size=2)


if __name__ == "__main__":
    model = nn.Linear(4, 1).to(device)
    for rows in loader_of(4, workers=0):
        print(model(rows).shape)
