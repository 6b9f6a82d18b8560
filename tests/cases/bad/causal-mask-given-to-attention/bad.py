import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
attention = nn.MultiheadAttention(8, 2, batch_first=True).to(device)
sequence = torch.randn(2, 5, 8, device=device)
future = torch.triu(torch.ones(5, 5), diagonal=1).bool()
mixed, _ = attention(sequence, sequence, sequence, attn_mask=future, need_weights=False)
print(mixed.shape)
