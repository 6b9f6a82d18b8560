import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, width, size):
        super().__init__()
        self.kqv = nn.Linear(width, 3 * width)
        self.register_buffer("bias", torch.tril(torch.ones(size, size)).bool(), persistent=False)

    def forward(self, x):
        t = x.size(1)
        k, q, v = self.kqv(x).chunk(3, dim=-1)
        att = (q @ k.transpose(1, 2)) / k.size(-1) ** 0.5
        att = att.masked_fill(~self.bias[:t, :t], float("-inf"))
        return x + F.softmax(att, dim=-1) @ v


class LM(nn.Module):
    def __init__(self, vocab=20, width=12, size=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.pos = nn.Embedding(size, width)
        self.register_buffer("position_ids", torch.arange(size).unsqueeze(0))
        self.block = Block(width, size)
        self.head = nn.Linear(width, vocab, bias=False)

    def forward(self, idx):
        positions = self.position_ids[:, : idx.size(1)]
        return self.head(self.block(self.tok(idx) + self.pos(positions)))

    @torch.no_grad()
    def generate(self, idx, n):
        for _ in range(n):
            probs = self(idx[:, -16:])[:, -1].softmax(-1)
            idx = torch.cat((idx, torch.multinomial(probs, 1)), dim=1)
        return idx


device = "cuda" if torch.cuda.is_available() else "cpu"
lm = LM().to(device)
start = torch.zeros((1, 1), dtype=torch.long, device=device)
print(lm.generate(start, 10)[0].tolist())
