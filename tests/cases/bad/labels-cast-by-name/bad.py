import torch
from torch import nn

inputs = torch.randn(6, 5)
labels = torch.tensor([0, 1, 2, 0, 1, 2], dtype=torch.int32)
model = nn.Linear(5, 3)
criterion = nn.CrossEntropyLoss()


def prepare(x, y):
    return x.type("torch.cuda.FloatTensor"), y.type("torch.cuda.LongTensor")


model = model.type(torch.cuda.FloatTensor)
x, y = prepare(inputs, labels)
print(criterion(model(x), y).item() > 0)
