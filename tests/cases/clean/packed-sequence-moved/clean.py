import torch
from torch import nn
from torch.nn.utils.rnn import pack_sequence

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
lstm = nn.LSTM(3, 4).to(device)
packed = pack_sequence([torch.randn(4, 3), torch.randn(2, 3)])
packed = packed.to(device)
out, (hidden, cell) = lstm(packed)
print(hidden.shape, cell.shape)
