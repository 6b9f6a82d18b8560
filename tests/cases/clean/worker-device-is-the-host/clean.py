import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Tokens(Dataset):
    def __init__(self, count, device="cpu"):
        self.count, self.device = count, device

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((4,), index % 7, dtype=torch.long, device=self.device)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    embed = nn.Sequential(nn.Embedding(7, 6), nn.Linear(6, 2)).to(device)
    for tokens in DataLoader(Tokens(6), batch_size=3, num_workers=1):
        print(embed(tokens.to(device)).shape)
