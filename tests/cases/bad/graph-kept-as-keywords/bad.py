import torch
from torch import nn


class Graph:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class Propagate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, nodes, edges):
        source, target = edges
        summed = nodes.new_zeros(nodes.shape).index_add_(0, target, nodes[source])
        return self.linear(summed)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Propagate(16), Propagate(16)

    def forward(self, graph):
        hidden = self.first(graph.nodes, graph.edges).relu()
        return self.second(hidden, graph.edges)


def make_graph(count=40):
    labels = torch.arange(count) % 4
    nodes = torch.randn(count, 16) + labels[:, None]
    edges = torch.randint(0, count, (2, 160))
    return Graph(nodes=nodes, edges=edges, labels=labels)


if __name__ == "__main__":
    torch.manual_seed(0)
    graph = make_graph()
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(graph), graph.labels)
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.4f}")
