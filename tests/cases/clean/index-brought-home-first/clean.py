import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
captions = torch.arange(20).view(10, 2)
encoder = nn.Linear(6, 4).to(device)
queries, gallery = encoder(torch.randn(3, 6, device=device)), encoder(torch.randn(10, 6, device=device))
best = (queries @ gallery.t()).topk(2, dim=1).indices
print(captions[best.cpu()].shape, captions[best.flatten().tolist()].shape)
