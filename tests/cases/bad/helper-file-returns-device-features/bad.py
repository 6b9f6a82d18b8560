import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from features import collect


def pca(points, k):
    centred = points - points.mean(axis=0)
    _, _, vt = np.linalg.svd(centred, full_matrices=False)
    return centred @ vt[:k].T


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Sequential(nn.Linear(14, 10), nn.Tanh(), nn.Linear(10, 5)).to(device)
loader = DataLoader(TensorDataset(torch.randn(40, 14), torch.randint(0, 4, (40,))), batch_size=20)
codes, labels = collect(encoder, loader, device)
plane = pca(codes.numpy(), 2)
for c in np.unique(labels.numpy()):
    print(c, plane[labels.numpy() == c].mean(axis=0).round(2))
