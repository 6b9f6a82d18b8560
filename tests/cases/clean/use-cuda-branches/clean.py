import torch
import torch.nn as nn
import torch.optim as optim
from torch.autograd import Variable

cuda = torch.cuda.is_available()


class LogisticRegression(nn.Module):
    def __init__(self, input_size, num_classes):
        super(LogisticRegression, self).__init__()
        self.linear = nn.Linear(input_size, num_classes)

    def forward(self, x):
        return self.linear(x)


def to_var(x):
    if cuda:
        x = x.cuda()
    return Variable(x)


model = LogisticRegression(14, 5)
criterion = nn.CrossEntropyLoss()
if cuda:
    model.cuda()
    criterion = criterion.cuda()
optimizer = optim.SGD(model.parameters(), lr=0.001)
for i in range(4):
    images = to_var(torch.rand(10, 14))
    labels = to_var(torch.randint(0, 5, (10,)))
    optimizer.zero_grad()
    loss = criterion(model(images), labels)
    loss.backward()
    optimizer.step()
print("loss: %.4f" % loss.data.item())
