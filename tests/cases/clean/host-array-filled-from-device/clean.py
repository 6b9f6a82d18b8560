import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3)).to(device).eval()
data = TensorDataset(torch.randn(25, 12))
embeddings = torch.empty(len(data), 3)
start = 0
with torch.no_grad():
    for (x,) in DataLoader(data, batch_size=10):
        stop = start + len(x)
        embeddings[start:stop] = encoder(x.to(device))
        start = stop
centre = embeddings.mean(0)
print(embeddings.numpy().shape, centre.numpy().round(2))
