import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class NameDataset(Dataset):
    def __init__(self, n, length=7, vocab=26):
        self.codes = torch.randint(1, vocab, (n, length))
        self.country = torch.randint(0, 5, (n,))

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, i):
        return self.codes[i], self.country[i]


class NameClassifier(nn.Module):
    def __init__(self, vocab=26, hidden=16, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, classes)

    def forward(self, names):
        _, last = self.gru(self.embedding(names))
        return self.fc(last[-1])


def train(model, loader, args):
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        running = 0.0
        for names, countries in loader:
            names, countries = names.to(args.device), countries.to(args.device)
            optimizer.zero_grad()
            loss = criterion(model(names), countries)
            loss.backward()
            optimizer.step()
            running += loss.item()
        print(f"[{args.device}] epoch {epoch} loss {running / len(loader):.3f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="name classification")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    model = NameClassifier().to(args.device)
    train(model, DataLoader(NameDataset(48), batch_size=16, shuffle=True), args)
