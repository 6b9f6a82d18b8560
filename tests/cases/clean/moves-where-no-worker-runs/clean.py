import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Windows(Dataset):
    def __init__(self, series, device):
        self.series, self.device = series, device

    def __len__(self):
        return len(self.series) - 3

    def __getitem__(self, index):
        window = self.series[index : index + 3]
        if get_worker_info() is None:
            window = window.to(self.device)
        return window


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    windows = Windows(torch.arange(9.0), device)
    model = nn.Linear(3, 1).to(device)
    print(model(windows[0]).shape)
    for window in DataLoader(windows, batch_size=2, num_workers=1):
        print(model(window.to(device)).shape)
