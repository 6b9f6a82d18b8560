"""Node classification on a stochastic block model. GCN and GraphSAGE-mean, from scratch.

Homework 4 - graph neural networks.
Part 1: GCN with a (sparse) normalised adjacency matrix.
Part 2: GraphSAGE with edge_index and index_add_.
"""
import copy
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

SEED = 0
torch.manual_seed(SEED)
np.random.seed(SEED)


class Data:
    """poor man's torch_geometric.data.Data"""
    def __init__(self, x, edge_index, y):
        self.x = x
        self.edge_index = edge_index
        self.y = y
        self.num_nodes = x.size(0)
        self.train_mask = self.val_mask = self.test_mask = None

    def __repr__(self):
        return 'Data(x=%s, edge_index=%s, y=%s)' % (list(self.x.shape), list(self.edge_index.shape), list(self.y.shape))


def make_sbm(num_nodes=600, num_classes=4, num_feats=16, p_in=0.03, p_out=0.006, noise=2.2):
    y = np.random.randint(num_classes, size=num_nodes)
    same = y[:, None] == y[None, :]
    prob = np.where(same, p_in, p_out)
    upper = np.triu(np.random.rand(num_nodes, num_nodes) < prob, k=1)
    A = upper | upper.T
    src, dst = np.nonzero(A)
    centers = np.random.randn(num_classes, num_feats)
    x = centers[y] + noise * np.random.randn(num_nodes, num_feats)
    edge_index = torch.tensor(np.stack([src, dst]), dtype=torch.long)
    return Data(torch.tensor(x, dtype=torch.float), edge_index, torch.tensor(y))


def planetoid_split(data, per_class=10, num_val=150):
    n = data.num_nodes
    data.train_mask = torch.zeros(n, dtype=torch.bool)
    data.val_mask = torch.zeros(n, dtype=torch.bool)
    data.test_mask = torch.zeros(n, dtype=torch.bool)
    for c in data.y.unique():
        idx = (data.y == c).nonzero().view(-1)
        idx = idx[torch.randperm(idx.size(0))[:per_class]]
        data.train_mask[idx] = True
    rest = (~data.train_mask).nonzero(as_tuple=False).view(-1)
    rest = rest[torch.randperm(rest.size(0))]
    data.val_mask[rest[:num_val]] = True
    data.test_mask[rest[num_val:]] = True


def degree(index, num_nodes):
    out = torch.zeros(num_nodes)
    return out.scatter_add_(0, index, torch.ones(index.size(0)))


def normalized_adjacency(edge_index, n):
    """D^-1/2 (A + I) D^-1/2 as a sparse tensor"""
    loops = torch.arange(n).repeat(2, 1)
    ei = torch.cat([edge_index, loops], dim=1)
    deg = degree(ei[0], n)
    d = deg.pow(-0.5)
    d[torch.isinf(d)] = 0
    val = d[ei[0]] * d[ei[1]]
    return torch.sparse_coo_tensor(ei, val, (n, n)).coalesce()


# ---- Part 1 -----------------------------------------------------------------

class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super(GraphConvolution, self).__init__()
        self.weight = nn.Parameter(torch.FloatTensor(in_features, out_features))
        self.bias = nn.Parameter(torch.FloatTensor(out_features))
        self.reset_parameters()

    def reset_parameters(self):
        stdv = 1. / self.weight.size(1) ** 0.5
        self.weight.data.uniform_(-stdv, stdv)
        self.bias.data.uniform_(-stdv, stdv)

    def forward(self, input, adj):
        support = torch.mm(input, self.weight)
        return torch.sparse.mm(adj, support) + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, adj, dropout=0.5):
        super(GCN, self).__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.adj = adj
        self.dropout = dropout

    def forward(self, data):
        h = F.relu(self.gc1(data.x, self.adj))
        h = F.dropout(h, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(h, self.adj), dim=1)


# ---- Part 2 -----------------------------------------------------------------

class SAGEConv(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lin_self = nn.Linear(in_channels, out_channels)
        self.lin_neigh = nn.Linear(in_channels, out_channels, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros(x.size(0), x.size(1))
        agg.index_add_(0, dst, x[src])
        deg = degree(dst, x.size(0)).clamp(min=1).unsqueeze(1)
        return self.lin_self(x) + self.lin_neigh(agg / deg)


class GraphSAGE(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout=0.5):
        super().__init__()
        self.convs = nn.ModuleList([SAGEConv(nfeat, nhid), SAGEConv(nhid, nhid)])
        self.out = nn.Linear(nhid, nclass)
        self.dropout = dropout

    def forward(self, data, drop_edge=0.2):
        x, edge_index = data.x, data.edge_index
        if self.training and drop_edge > 0:
            keep = torch.rand(edge_index.size(1)) > drop_edge
            edge_index = edge_index[:, keep]
        for conv in self.convs:
            x = F.relu(conv(x, edge_index))
            x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.out(x), dim=1)


# ---- training ---------------------------------------------------------------

def train_step(model, data, optimizer):
    model.train()
    optimizer.zero_grad()
    out = model(data)
    loss = F.nll_loss(out[data.train_mask], data.y[data.train_mask])
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.no_grad()
def test(model, data):
    model.eval()
    pred = model(data).argmax(dim=1)
    accs = []
    for mask in [data.train_mask, data.val_mask, data.test_mask]:
        correct = pred[mask].eq(data.y[mask]).sum().item()
        accs.append(correct / int(mask.sum()))
    return accs


def macro_f1(y_true, y_pred):
    scores = []
    for c in np.unique(y_true):
        tp = np.sum((y_pred == c) & (y_true == c))
        fp = np.sum((y_pred == c) & (y_true != c))
        fn = np.sum((y_pred != c) & (y_true == c))
        scores.append(2 * tp / max(2 * tp + fp + fn, 1))
    return np.mean(scores)


def fit(name, model, data, epochs=120, patience=40):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    best_val, best_state, wait = 0, None, 0
    history = []
    for epoch in range(epochs):
        history.append(train_step(model, data, optimizer))
        train_acc, val_acc, test_acc = test(model, data)
        if val_acc > best_val:
            best_val, wait = val_acc, 0
            best_state = copy.deepcopy(model.state_dict())
        else:
            wait += 1
            if wait >= patience:
                break
        if epoch % 20 == 0:
            print('%s epoch %03d loss %.4f train %.4f val %.4f' % (name, epoch, history[-1], train_acc, val_acc))
    model.load_state_dict(best_state)
    accs = test(model, data)
    with torch.no_grad():
        pred = model(data).argmax(1)
    f1 = macro_f1(data.y[data.test_mask].numpy(), pred[data.test_mask].numpy())
    print('%s: val %.4f test %.4f macro-F1 %.4f (mean of the last losses %.4f)'
          % (name, accs[1], accs[2], f1, np.mean(history[-5:])))
    return accs[2]


data = make_sbm()
planetoid_split(data)
print(data)
print('train/val/test:', data.train_mask.sum().item(), data.val_mask.sum().item(), data.test_mask.sum().item())
n_classes = int(data.y.max()) + 1
homophily = (data.y[data.edge_index[0]] == data.y[data.edge_index[1]]).float().mean()
print('edge homophily: %.4f' % homophily)

adj = normalized_adjacency(data.edge_index, data.num_nodes)
gcn_acc = fit('GCN', GCN(data.x.size(1), 32, n_classes, adj), data)
sage_acc = fit('SAGE', GraphSAGE(data.x.size(1), 32, n_classes), data)
print('GCN - SAGE: %+.4f' % (gcn_acc - sage_acc))
