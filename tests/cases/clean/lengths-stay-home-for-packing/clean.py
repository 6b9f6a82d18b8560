import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 4, batch_first=True)
        self.out = nn.Linear(4, 2)

    def forward(self, x, lengths):
        lengths = torch.as_tensor(lengths)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        hidden, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.out(hidden)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(Tagger().to(device)(torch.randn(2, 5, 3, device=device), [5, 3]).shape)
