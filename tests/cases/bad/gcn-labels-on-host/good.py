import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        self.bias = nn.Parameter(torch.zeros(out_features))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adj):
        return adj @ (x @ self.weight) + self.bias


class GCN(nn.Module):
    def __init__(self, nfeat, nhid, nclass, dropout=0.5):
        super().__init__()
        self.gc1 = GraphConvolution(nfeat, nhid)
        self.gc2 = GraphConvolution(nhid, nclass)
        self.dropout = dropout

    def forward(self, x, adj):
        x = F.relu(self.gc1(x, adj))
        x = F.dropout(x, self.dropout, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


def load_citations(n=60, nfeat=20, nclass=4):
    adj = (torch.rand(n, n) < 0.1).float()
    adj = ((adj + adj.t()) > 0).float() + torch.eye(n)
    adj = adj / adj.sum(1, keepdim=True)
    features = torch.rand(n, nfeat)
    labels = torch.randint(0, nclass, (n,))
    return adj, features, labels, torch.arange(20), torch.arange(20, 60)


adj, features, labels, idx_train, idx_test = load_citations()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = GCN(features.shape[1], 16, int(labels.max()) + 1).to(device)
features = features.to(device)
adj = adj.to(device)
labels = labels.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)

for epoch in range(5):
    model.train()
    optimizer.zero_grad()
    output = model(features, adj)
    loss_train = F.nll_loss(output[idx_train], labels[idx_train])
    loss_train.backward()
    optimizer.step()

model.eval()
prediction = model(features, adj).argmax(1)
accuracy = (prediction[idx_test] == labels[idx_test]).float().mean()
print("test accuracy", accuracy.item())
