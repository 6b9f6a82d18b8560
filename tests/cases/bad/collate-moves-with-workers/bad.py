import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class EntityDataset(Dataset):
    def __init__(self, n):
        self.sentences = [torch.randint(1, 50, (int(torch.randint(3, 9, (1,))),)) for _ in range(n)]

    def __len__(self):
        return len(self.sentences)

    def __getitem__(self, i):
        return self.sentences[i], (self.sentences[i] > 40).long()


def collate_fn(batch):
    token_ids, labels = zip(*batch)
    token_ids = pad_sequence(token_ids, batch_first=True).to(device)

    labels = pad_sequence(labels, batch_first=True, padding_value=-100).to(device)
    return token_ids, labels


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 8, padding_idx=0)
        self.rnn = nn.GRU(8, 8, batch_first=True, bidirectional=True)
        self.out = nn.Linear(16, 2)

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids))[0])


if __name__ == "__main__":
    tagger = Tagger().to(device)
    optimizer = torch.optim.Adam(tagger.parameters(), lr=2e-3)
    loader = DataLoader(EntityDataset(16), batch_size=8, shuffle=True, num_workers=1, collate_fn=collate_fn)
    for token_ids, labels in loader:
        loss = nn.functional.cross_entropy(tagger(token_ids).flatten(0, 1), labels.flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())
