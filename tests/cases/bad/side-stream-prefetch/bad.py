import torch
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Prefetcher:
    def __init__(self, loader):
        self.loader = loader
        self.stream = torch.cuda.Stream()

    def __iter__(self):
        for (x,) in self.loader:
            with torch.cuda.stream(self.stream):
                x = x.to(device, non_blocking=True)
            torch.cuda.current_stream().wait_stream(self.stream)
            yield x


loader = DataLoader(TensorDataset(torch.randn(8, 2)), batch_size=4)
print(sum((x @ x.T).sum().item() for x in Prefetcher(loader)) > 0)
