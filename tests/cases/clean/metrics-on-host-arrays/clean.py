import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


def confusion_matrix(truth, guess, n):
    table = np.zeros((n, n), dtype=int)
    np.add.at(table, (truth, guess), 1)
    return table


def auc(truth, score):
    order = np.argsort(score)
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    positives = truth.sum()
    return (ranks[truth == 1].sum() - positives * (positives + 1) / 2) / max(1, positives * (len(truth) - positives))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(6, 2).to(device).eval()
loader = DataLoader(TensorDataset(torch.randn(30, 6), torch.randint(0, 2, (30,))), batch_size=10)
y_true, y_pred, y_score, losses = [], [], [], []
with torch.no_grad():
    for x, y in loader:
        logits = net(x.to(device))
        losses.append(nn.functional.cross_entropy(logits, y.to(device)).item())
        y_true.extend(y.numpy())
        y_pred += logits.argmax(1).tolist()
        y_score.append(logits.softmax(1)[:, 1].to("cpu").numpy())
y_true = np.array(y_true)
print(confusion_matrix(y_true, np.array(y_pred), 2), auc(y_true, np.concatenate(y_score)), np.mean(losses))
