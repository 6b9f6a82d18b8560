import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return {
            "input_ids": torch.randint(0, 60, (12,)),
            "attention_mask": torch.ones(12, dtype=torch.long),
            "labels": torch.tensor(index % 2),
        }


class TinyBert(nn.Module):
    def __init__(self, vocab=60, dim=16):
        super().__init__()
        self.embeddings = nn.Embedding(vocab, dim)
        self.pooler = nn.Linear(dim, dim)
        self.classifier = nn.Linear(dim, 2)

    def forward(self, input_ids, attention_mask, labels=None):
        mask = attention_mask.unsqueeze(-1).float()
        pooled = (self.embeddings(input_ids) * mask).sum(1) / mask.sum(1)
        logits = self.classifier(torch.tanh(self.pooler(pooled)))
        loss = nn.functional.cross_entropy(logits, labels) if labels is not None else None
        return {"loss": loss, "logits": logits}


def finetune(epochs=1):
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    model = TinyBert()
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-5)
    for _ in range(epochs):
        for batch in DataLoader(Reviews(), batch_size=6, shuffle=True):
            for key in batch:
                batch[key] = batch[key].to(device)
            outputs = model(**batch)
            outputs["loss"].backward()
            optimizer.step()
            optimizer.zero_grad()
    return outputs["loss"].item()


print(finetune())
