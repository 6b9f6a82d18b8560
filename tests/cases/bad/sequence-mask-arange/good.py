import torch
import torch.nn as nn


def sequence_mask(lengths, max_len=None):
    max_len = max_len or int(lengths.max())
    positions = torch.arange(max_len, device=lengths.device).unsqueeze(0)
    return positions < lengths.unsqueeze(1)


class AttentivePooling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Linear(dim, 1)

    def forward(self, x, lengths):
        scores = self.query(x).squeeze(-1)
        mask = sequence_mask(lengths, x.size(1))
        weights = scores.masked_fill(~mask, float("-inf")).softmax(dim=1)
        return (weights.unsqueeze(-1) * x).sum(1)


class SentenceClassifier(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim, padding_idx=0)
        self.pool = AttentivePooling(dim)
        self.classifier = nn.Linear(dim, classes)

    def forward(self, tokens, lengths):
        return self.classifier(self.pool(self.embedding(tokens), lengths))


def batches(n):
    for _ in range(n):
        lengths = torch.randint(2, 9, (6,))
        tokens = torch.randint(1, 50, (6, 9))
        yield tokens, lengths, torch.randint(0, 2, (6,))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SentenceClassifier(50, 12, 2).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for tokens, lengths, label in batches(3):
        tokens, lengths, label = tokens.to(device), lengths.to(device), label.to(device)
        loss = nn.functional.cross_entropy(model(tokens, lengths), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())


if __name__ == "__main__":
    main()
