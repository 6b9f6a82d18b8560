import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
sentences = [torch.randint(1, 20, (n,)) for n in (3, 5, 4, 6)]


def pad(samples):
    longest = max(len(sample) for sample in samples)
    rows = torch.zeros(len(samples), longest, dtype=torch.long)
    for i, sample in enumerate(samples):
        rows[i, : len(sample)] = sample
    return rows.to(device)


def main():
    embed = nn.Sequential(nn.Embedding(20, 8), nn.Linear(8, 2)).to(device)
    for rows in DataLoader(sentences, batch_size=2, collate_fn=pad, num_workers=1):
        print(embed(rows).shape)


if __name__ == "__main__":
    main()
