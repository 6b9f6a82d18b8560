import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


def get_model():
    model = nn.Linear(4, 2)
    return model, optim.SGD(model.parameters(), lr=0.5)


def fit(model, loss_func, opt, dl):
    for xb, yb in dl:
        loss_batch(model, loss_func, xb, yb, opt)


def loss_batch(model, loss_func, xb, yb, opt):
    loss = loss_func(model(xb), yb)
    loss.backward()
    opt.step()
    print(loss.item())


torch.manual_seed(0)
dl = DataLoader(TensorDataset(torch.randn(32, 4), torch.zeros(32).long()), batch_size=16)
model, opt = get_model()
fit(model, nn.CrossEntropyLoss(), opt, dl)
