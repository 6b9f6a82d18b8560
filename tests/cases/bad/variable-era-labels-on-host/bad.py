import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.autograd import Variable
from torch.utils.data import DataLoader, TensorDataset

use_cuda = torch.cuda.is_available()


class LeNet(nn.Module):
    def __init__(self):
        super(LeNet, self).__init__()
        self.conv = nn.Conv2d(1, 4, kernel_size=3)
        self.fc = nn.Linear(36, 5)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv(x), 2))
        x = x.view(x.size(0), -1)
        return F.log_softmax(self.fc(x), dim=1)


net = LeNet()
if use_cuda:
    net.cuda()
optimizer = optim.SGD(net.parameters(), lr=0.01, momentum=0.5)
train_loader = DataLoader(TensorDataset(torch.rand(24, 1, 8, 8), torch.randint(0, 5, (24,))), batch_size=8)

for epoch in range(1, 3):
    for batch_idx, (data, target) in enumerate(train_loader):
        if use_cuda:
            data = data.cuda()
        data, target = Variable(data), Variable(target)
        optimizer.zero_grad()
        output = net(data)
        loss = F.nll_loss(output, target)
        loss.backward()
        optimizer.step()
    print("Train Epoch: {} Loss: {:.6f}".format(epoch, loss.data.item()))
