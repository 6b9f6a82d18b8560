import math

import torch
from torch import nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=64):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        rate = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        table = torch.zeros(max_len, d_model)
        table[:, 0::2] = torch.sin(position * rate)
        table[:, 1::2] = torch.cos(position * rate)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(1)]


class CausalSelfAttention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.nhead, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        mask = torch.triu(torch.full((length, length), float("-inf"), device=x.device), diagonal=1)
        weights = (scores + mask).softmax(dim=-1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class CharTransformer(nn.Module):
    def __init__(self, vocab=30, d_model=16, nhead=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, d_model)
        self.position = PositionalEncoding(d_model)
        self.norm = nn.LayerNorm(d_model)
        self.attention = CausalSelfAttention(d_model, nhead)
        self.head = nn.Linear(d_model, vocab)

    def forward(self, tokens):
        x = self.position(self.embed(tokens))
        return self.head(x + self.attention(self.norm(x)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharTransformer().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    criterion = nn.CrossEntropyLoss()
    for step in range(3):
        tokens = torch.randint(0, 30, (4, 12), device=device)
        logits = model(tokens[:, :-1])
        loss = criterion(logits.reshape(-1, 30), tokens[:, 1:].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
