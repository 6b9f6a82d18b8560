import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
NOT_TENSORS = {"caption"}


class Captioned(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, index):
        return {"image": torch.randn(6), "caption": f"picture {index}"}


encoder = nn.Linear(6, 2).to(device)
for batch in DataLoader(Captioned(), batch_size=2):
    for key in batch:
        if key in NOT_TENSORS:
            continue
        batch[key] = batch[key].to(device)
    moved = {key: value.to(device) for key, value in batch.items() if key not in NOT_TENSORS}
    print(batch["caption"], encoder(batch["image"]).shape, list(moved))
