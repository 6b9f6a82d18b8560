import torch
torch.manual_seed(0)
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


def get_model():
    model = nn.Linear(4, 2)
    return model


def fit(model, loss_func, opt, dl):
    for xb, yb in dl:
        loss = loss_func(model(xb), yb)
        loss.backward()
        opt.step()
        print(loss.item())


if __name__ == "__main__":
    dl = DataLoader(TensorDataset(torch.randn(32, 4), torch.zeros(32).long()), batch_size=16)
    model = get_model()
    opt = optim.SGD(model.parameters(), lr=0.5)
    fit(model, nn.CrossEntropyLoss(), opt, dl)
