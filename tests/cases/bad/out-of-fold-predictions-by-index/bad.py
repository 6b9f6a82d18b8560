import numpy as np
import torch
from torch import nn
torch.manual_seed(0)


def predict(model, X):
    model.eval()
    with torch.no_grad():
        return model(X)


X = torch.ones(8, 2)
oof = torch.zeros(8, 1)
model = nn.Linear(2, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(X, 4):
    loss = model(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
va = np.array([1, 2, 3])
oof[va] = predict(model, X[va])
print(oof.sum().item())
