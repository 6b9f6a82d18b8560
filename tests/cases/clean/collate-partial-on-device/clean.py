from functools import partial

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader


def collate_batch(batch, device):
    labels = torch.tensor([label for label, _ in batch], dtype=torch.int64, device=device)
    tokens = pad_sequence([torch.tensor(t) for _, t in batch], batch_first=True)
    return tokens.to(device), labels


class TextClassificationModel(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.embedding = nn.EmbeddingBag(vocab, dim)
        self.fc = nn.Linear(dim, classes)

    def forward(self, text):
        return self.fc(self.embedding(text))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
corpus = [(i % 2, list(range(1, 3 + i % 5))) for i in range(20)]
loader = DataLoader(corpus, batch_size=5, shuffle=True, num_workers=0, collate_fn=partial(collate_batch, device=device))
model = TextClassificationModel(12, 8, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=5.0)
for text, label in loader:
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(text), label)
    loss.backward()
    optimizer.step()
print(loss.item())
