import torch
import torch.nn as nn
import torch.nn.functional as F


class Rotary(nn.Module):
    def __init__(self, dim, max_len=32, base=10000.0):
        super().__init__()
        rate = 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)
        angles = torch.outer(torch.arange(max_len).float(), rate).repeat(1, 2)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, x):
        length = x.size(-2)
        first, second = x.chunk(2, dim=-1)
        turned = torch.cat((-second, first), dim=-1)
        return x * self.cos[:length] + turned * self.sin[:length]


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.proj = nn.Linear(width, width)
        self.rotary = Rotary(width // heads)

    def forward(self, x):
        b, t, w = x.shape
        q, k, v = (p.view(b, t, self.heads, -1).transpose(1, 2) for p in self.qkv(x).split(w, dim=-1))
        y = F.scaled_dot_product_attention(self.rotary(q), self.rotary(k), v, is_causal=True)
        return self.proj(y.transpose(1, 2).reshape(b, t, w))


class TinyGPT(nn.Module):
    def __init__(self, vocab=40, width=16, depth=2):
        super().__init__()
        self.wte = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList([Attention(width, 2) for _ in range(depth)])
        self.lm_head = nn.Linear(width, vocab)

    def forward(self, idx):
        x = self.wte(idx)
        for block in self.blocks:
            x = x + block(x)
        return self.lm_head(x)


device = "cuda" if torch.cuda.is_available() else "cpu"
gpt = TinyGPT()
gpt.to(device)
optimizer = torch.optim.AdamW(gpt.parameters(), lr=1e-3)
for it in range(3):
    idx = torch.randint(0, 40, (4, 11)).to(device)
    logits = gpt(idx[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), idx[:, 1:].flatten())
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()
print("loss", loss.item())
