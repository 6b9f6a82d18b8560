import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def collate(rows):
    ids = torch.tensor([r[0] for r in rows])
    return {"ids": ids, "labels": torch.tensor([r[1] for r in rows])}


torch.manual_seed(0)
loader = DataLoader([([1.0, 2.0], 0), ([2.0, 1.0], 1)] * 4, batch_size=4, collate_fn=collate)
model = nn.Linear(2, 2).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in loader:
    loss = nn.functional.cross_entropy(model(batch["ids"]), batch["labels"])
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(loss.item())
