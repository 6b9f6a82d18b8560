import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Sampler, TensorDataset, WeightedRandomSampler


class ShuffledChunks(Sampler):
    def __init__(self, n, chunk, generator):
        self.n, self.chunk, self.generator = n, chunk, generator

    def __iter__(self):
        for start in torch.randperm(self.n // self.chunk, generator=self.generator).tolist():
            yield from range(start * self.chunk, (start + 1) * self.chunk)

    def __len__(self):
        return self.n


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
labels = (torch.rand(40) > 0.8).long()
data = TensorDataset(torch.randn(40, 5), labels)
per_class = 1.0 / torch.bincount(labels, minlength=2).clamp(min=1).float()
balanced = WeightedRandomSampler(per_class[labels], num_samples=40, generator=torch.Generator().manual_seed(1))
chunked = ShuffledChunks(40, 8, torch.Generator().manual_seed(2))
net = nn.Linear(5, 2).to(device)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for sampler in (balanced, chunked):
    for x, y in DataLoader(data, batch_size=8, sampler=sampler):
        loss = nn.functional.cross_entropy(net(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
print(loss.item())
