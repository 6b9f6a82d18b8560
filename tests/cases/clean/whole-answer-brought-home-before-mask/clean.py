import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
segmenter = nn.Conv2d(1, 2, 1).to(device)
images = torch.rand(2, 1, 6, 6)
labels = torch.randint(0, 2, (2, 6, 6))
predicted = segmenter(images.to(device)).argmax(dim=1).cpu()
wrong = predicted != labels
print(images[:, 0][wrong].shape, labels[wrong].shape)
