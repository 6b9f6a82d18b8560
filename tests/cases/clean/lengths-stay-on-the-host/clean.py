import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
rows = [(torch.randint(1, 9, (n,)), n % 2) for n in (3, 5, 4, 2) * 4]


def collate(batch):
    ids = pad_sequence([row for row, _ in batch], batch_first=True)
    lengths = torch.tensor([len(row) for row, _ in batch])
    return {"ids": ids, "lengths": lengths, "label": torch.tensor([label for _, label in batch])}


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(9, 32, padding_idx=0)
        self.rnn = nn.GRU(32, 32, batch_first=True)
        self.out = nn.Linear(32, 2)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        out, hidden = self.rnn(packed)
        padded, sizes = pad_packed_sequence(out, batch_first=True)
        return self.out(hidden[-1]), padded, sizes


model = Tagger().to(device)
loader = DataLoader(rows, batch_size=4, collate_fn=collate)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for batch in loader:
        logits, padded, sizes = model(batch["ids"].to(device), batch["lengths"])
        loss = nn.functional.cross_entropy(logits, batch["label"].to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.4f}", sizes.max().item())
