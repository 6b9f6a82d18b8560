import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class DataPrefetcher:
    def __init__(self, loader, device):
        self.iterator = iter(loader)
        self.device = device
        self.stream = torch.cuda.Stream() if device.type == "cuda" else None
        self.preload()

    def preload(self):
        try:
            self.next_input, self.next_target = next(self.iterator)
        except StopIteration:
            self.next_input = self.next_target = None
            return
        if self.stream is None:
            self.next_input = self.next_input.to(self.device)
            self.next_target = self.next_target.to(self.device)
            return
        with torch.cuda.stream(self.stream):
            self.next_input = self.next_input.to(self.device, non_blocking=True)
            self.next_target = self.next_target.to(self.device, non_blocking=True)

    def next(self):
        if self.stream is not None:
            torch.cuda.current_stream().wait_stream(self.stream)
        batch = self.next_input, self.next_target
        self.preload()
        return batch


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(9, 4).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
prefetcher = DataPrefetcher(DataLoader(TensorDataset(torch.randn(24, 9), torch.randint(0, 4, (24,))), batch_size=8), device)
images, target = prefetcher.next()
while images is not None:
    loss = F.cross_entropy(net(images), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    images, target = prefetcher.next()
print(loss.item())
