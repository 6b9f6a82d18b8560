import torch
import torch.nn as nn
import torch.nn.functional as F


class SumConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.message = nn.Linear(2 * in_dim, out_dim)
        self.update = nn.GRUCell(out_dim, in_dim)

    def forward(self, x, edge_index):
        source, target = edge_index
        messages = F.relu(self.message(torch.cat([x[source], x[target]], dim=-1)))
        pooled = messages.new_zeros(x.size(0), messages.size(1))
        pooled.index_add_(0, target, messages)
        return self.update(pooled, x)


class GraphNet(nn.Module):
    def __init__(self, dim, classes, rounds=2):
        super().__init__()
        self.embed = nn.Linear(5, dim)
        self.convs = nn.ModuleList(SumConv(dim, dim) for _ in range(rounds))
        self.out = nn.Linear(dim, classes)

    def forward(self, x, edge_index):
        x = self.embed(x)
        for conv in self.convs:
            x = conv(x, edge_index)
        return self.out(x)


def random_graph(nodes, edges):
    return torch.randn(nodes, 5), torch.randint(0, nodes, (2, edges)), torch.randint(0, 3, (nodes,))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = GraphNet(8, 3).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(4):
    x, edge_index, y = (t.to(device) for t in random_graph(20, 50))
    loss = F.cross_entropy(net(x, edge_index), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
