"""HF-like dict batches with comprehension, correct training; eval forgets."""
import torch
from torch import nn
from torch.utils.data import DataLoader
from types import SimpleNamespace


class TinyBert(nn.Module):
    def __init__(self, vocab=30, dim=8, labels=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cls = nn.Linear(dim, labels)

    def forward(self, input_ids, attention_mask=None, labels=None):
        h = self.emb(input_ids) * attention_mask.unsqueeze(-1)
        logits = self.cls(h.sum(1) / attention_mask.sum(1, keepdim=True))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return SimpleNamespace(loss=loss, logits=logits)


def make(n, seed):
    g = torch.Generator().manual_seed(seed)
    return [{"input_ids": torch.randint(0, 30, (6,), generator=g), "attention_mask": torch.ones(6), "labels": i % 2}
            for i in range(n)]


def main():
    torch.manual_seed(0)
    train_dl = DataLoader(make(16, 0), batch_size=4, shuffle=True)
    eval_dl = DataLoader(make(8, 1), batch_size=4)
    model = TinyBert()
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    model.train()
    for epoch in range(2):
        for batch in train_dl:
            batch = {k: v.to(device) for k, v in batch.items()}
            outputs = model(**batch)
            loss = outputs.loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"{loss.item():.4f}")
    model.eval()
    hits = 0
    for batch in eval_dl:
        with torch.no_grad():
            outputs = model(**batch)
        predictions = torch.argmax(outputs.logits, dim=-1)
        hits += (predictions == batch["labels"]).sum().item()
    print("hits", hits)


main()
