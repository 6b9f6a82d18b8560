import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X_train = torch.ones(8, 3)
loader = DataLoader(TensorDataset(X_train), batch_size=4, num_workers=1)
model = nn.Linear(3, 1).to(device)
for (xb,) in loader:
    print(model(xb.to(device)).shape)
print(model(X_train).shape)
