import numpy as np
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

torch.manual_seed(0)


def predict(model, X):
    device = next(model.parameters()).device
    model.eval()
    with torch.no_grad():
        return model(X.to(device))


X = torch.ones(8, 2)
oof = torch.zeros(8, 1)
model = nn.Linear(2, 1).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(X, 4):
    x = x.to(device)
    loss = model(x).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
va = np.array([1, 2, 3])
oof[va] = predict(model, X[va]).cpu()
print(oof.sum().item())
