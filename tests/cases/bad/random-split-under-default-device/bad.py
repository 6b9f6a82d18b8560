import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset, random_split

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)


class KnowledgeTracer(nn.Module):
    def __init__(self, skills, dim):
        super().__init__()
        self.interaction = nn.Embedding(2 * skills, dim)
        self.rnn = nn.RNN(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, skills)

    def forward(self, q):
        h, _ = self.rnn(self.interaction(q))
        return torch.sigmoid(self.out(h))


skills = 6
history = torch.randint(0, 2 * skills, (30, 9))
answers = torch.randint(0, 2, (30, 9)).float()
dataset = TensorDataset(history, answers)

train_set, test_set = random_split(dataset, [24, 6])

model = KnowledgeTracer(skills, 8)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for q, r in DataLoader(train_set, batch_size=8):
    p = model(q).max(dim=-1).values
    loss = nn.functional.binary_cross_entropy(p, r)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print("train", len(train_set), "test", len(test_set), "loss", loss.item())
