import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset


def endless(loader):
    while True:
        for batch in loader:
            yield batch


def get_arguments():
    return dict(steps=6, batch_size=8, lr=0.01)


config = get_arguments()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = nn.Sequential(
    nn.Linear(16, 32),
    nn.LeakyReLU(0.2),
    nn.Dropout(0.1),
    nn.Linear(32, 3),
)
model.to(device)
model.train()

train_set = TensorDataset(torch.randn(40, 16), torch.randint(0, 3, (40,)))
stream = endless(DataLoader(train_set, batch_size=config["batch_size"], shuffle=True, drop_last=True))
optimizer = optim.SGD(model.parameters(), lr=config["lr"], momentum=0.9)
loss_fn = nn.CrossEntropyLoss()

for step in range(1, config["steps"] + 1):
    data, label = next(stream)
    data, label = data.to(device), label.to(device)
    optimizer.zero_grad()
    output = model(data)
    loss = loss_fn(output, label)
    loss.backward()
    optimizer.step()
    if step % 2 == 0:
        print(f"iter {step} loss {loss.item():.4f}")
