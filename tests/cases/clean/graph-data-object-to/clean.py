import torch
import torch.nn as nn
import torch.nn.functional as F


class Data:
    def __init__(self, **fields):
        self.__dict__.update(fields)

    def to(self, device):
        moved = {k: v.to(device) if torch.is_tensor(v) else v for k, v in self.__dict__.items()}
        return Data(**moved)


class MeanConv(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.lin = nn.Linear(2 * n_in, n_out)

    def forward(self, x, edge_index):
        source, target = edge_index
        total = torch.zeros_like(x).index_add_(0, target, x[source])
        degree = torch.bincount(target, minlength=x.size(0)).clamp(min=1).unsqueeze(1)
        return self.lin(torch.cat([x, total / degree], dim=1))


class Net(nn.Module):
    def __init__(self, data):
        super().__init__()
        self.conv1 = MeanConv(data.x.size(1), 12)
        self.conv2 = MeanConv(12, data.num_classes)

    def forward(self, data):
        return self.conv2(F.relu(self.conv1(data.x, data.edge_index)), data.edge_index)


mask = torch.zeros(30, dtype=torch.bool)
mask[:18] = True
data = Data(x=torch.randn(30, 5), edge_index=torch.randint(0, 30, (2, 80)), y=torch.randint(0, 3, (30,)), train_mask=mask, num_classes=3)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, data = Net(data).to(device), data.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(3):
    out = model(data)
    loss = F.cross_entropy(out[data.train_mask], data.y[data.train_mask])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
