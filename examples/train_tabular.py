"""Classify customers who are about to leave, from a table of made-up measurements.

The whole table fits into memory, so every epoch is one full-batch step.
"""

import numpy as np
import torch
from torch import nn

torch.manual_seed(7)
rng = np.random.default_rng(7)

# A synthetic table: 2,000 customers, 8 columns, and a churn flag that hangs on three of the columns.
n_customers, n_features = 2_000, 8
features = rng.normal(size=(n_customers, n_features)).astype(np.float32)
score = 1.5 * features[:, 0] - 2.0 * features[:, 3] + features[:, 0] * features[:, 5]
churned = (score + rng.normal(scale=0.5, size=n_customers) > 0).astype(np.int64)

# Hold out a quarter of the rows for testing, and scale by what the training rows look like.
order = rng.permutation(n_customers)
train_rows, test_rows = order[:1_500], order[1_500:]
mean, std = features[train_rows].mean(axis=0), features[train_rows].std(axis=0)
scaled = (features - mean) / std

X_train = torch.from_numpy(scaled[train_rows])
X_test = torch.from_numpy(scaled[test_rows])
y_train = torch.from_numpy(churned[train_rows])
y_test = torch.from_numpy(churned[test_rows])


class ChurnModel(nn.Module):
    def __init__(self, in_features, hidden):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(in_features, hidden),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, x):
        return self.layers(x)


model = ChurnModel(n_features, hidden=32)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)


def accuracy(logits, target):
    return (logits.argmax(dim=1) == target).float().mean().item()


epochs = 120
for epoch in range(1, epochs + 1):
    model.train()
    logits = model(X_train)
    loss = loss_fn(logits, y_train)

    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

    if epoch % 20 == 0:
        model.eval()
        with torch.no_grad():
            test_logits = model(X_test)
            test_loss = loss_fn(test_logits, y_test)
        print(
            f"epoch {epoch:3d} | train loss {loss.item():.3f}, accuracy {accuracy(logits, y_train):.3f} "
            f"| test loss {test_loss.item():.3f}, accuracy {accuracy(test_logits, y_test):.3f}"
        )

# The final report: a confusion matrix of the held-out customers, counted with numpy.
model.eval()
with torch.no_grad():
    predicted = model(X_test).argmax(dim=1)

confusion = np.zeros((2, 2), dtype=np.int64)
np.add.at(confusion, (y_test.numpy(), predicted.numpy()), 1)
precision = confusion[1, 1] / confusion[:, 1].sum()
recall = confusion[1, 1] / confusion[1].sum()
print("confusion matrix (rows: truth, columns: prediction)")
print(confusion)
print(f"precision {precision:.3f}, recall {recall:.3f}")
