from dataclasses import dataclass

import torch
from torch import nn
from torch.utils.data import DataLoader


@dataclass
class Utterances:
    waves: torch.Tensor
    lengths: list

    def to(self, device):
        return Utterances(self.waves.to(device), self.lengths)


def collate(samples):
    return Utterances(nn.utils.rnn.pad_sequence(samples, batch_first=True), [len(s) for s in samples])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Linear(4, 2).to(device)
waves = [torch.randn(n, 4) for n in (3, 5, 2, 4)]
for batch in DataLoader(waves, batch_size=2, collate_fn=collate):
    batch = batch.to(device)
    print(model(batch.waves).shape, batch.lengths)
