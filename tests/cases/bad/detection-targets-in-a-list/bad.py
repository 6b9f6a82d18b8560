import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Boxes(Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return torch.rand(3, 8, 8), {"boxes": torch.rand(2, 4), "labels": torch.tensor([0, 1])}


def collate_fn(batch):
    return tuple(zip(*batch))


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.box = nn.Linear(192, 8)

    def forward(self, images, targets=None):
        out = self.box(torch.stack(list(images)).flatten(1)).view(-1, 2, 4)
        if targets is None:
            return out
        return {"loss_box": (out - torch.stack([t["boxes"] for t in targets])).abs().mean()}


device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
model = Detector()
model.to(device)
optimizer = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=0.005)
loader = DataLoader(Boxes(), batch_size=2, collate_fn=collate_fn)
for images, targets in loader:
    images = list(image.to(device) for image in images)
    loss_dict = model(images, targets)
    losses = sum(loss for loss in loss_dict.values())
    optimizer.zero_grad()
    losses.backward()
    optimizer.step()
print(losses.item() > 0)
