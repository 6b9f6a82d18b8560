"""A minimal decoder-only transformer (GPT style), written from scratch.

The data are strings of a toy bracket/arithmetics language:

    (3+4)=7;[2*3]=6;...

The model should learn to close brackets and, roughly, to do one-digit sums.
"""
import math
import os
import tempfile
from dataclasses import asdict, dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

# -----------------------------------------------------------------------------
# hyperparameters
batch_size = 32
block_size = 24
max_iters = 220
eval_interval = 55
eval_iters = 4
learning_rate = 1e-2
# -----------------------------------------------------------------------------

torch.manual_seed(1337)


@dataclass
class GPTConfig:
    vocab_size: int
    block_size: int = 24
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 32
    dropout: float = 0.0
    bias: bool = False


def make_text(n_items):
    out = []
    r = torch.randint(0, 6, (n_items, 2))
    kind = torch.randint(0, 3, (n_items,))
    for (a, b), k in zip(r.tolist(), kind.tolist()):
        if k == 0:
            out.append(f"({a}+{b})={a + b};")
        elif k == 1:
            out.append(f"[{max(a, b)}-{min(a, b)}]={abs(a - b)};")
        else:
            out.append(f"<{a}{b}|{b}{a}>;")
    return "".join(out)


text = make_text(6000)
chars = sorted(list(set(text)))
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]
decode = lambda l: "".join([itos[i] for i in l])

data = torch.tensor(encode(text), dtype=torch.long)
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]


def get_batch(split):
    d = train_data if split == "train" else val_data
    ix = torch.randint(len(d) - block_size, (batch_size,))
    x = torch.stack([d[i:i + block_size] for i in ix])
    y = torch.stack([d[i + 1:i + block_size + 1] for i in ix])
    return x, y


class PositionalEncoding(nn.Module):
    """Sinusoids of "Attention is all you need", with a learned gain."""

    def __init__(self, d_model, max_len=512):
        super().__init__()
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe, persistent=False)
        self.gain = nn.Parameter(torch.tensor(0.5))

    def forward(self, x):
        return x + self.gain * self.pe[: x.size(1)]


class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        assert config.n_embd % config.n_head == 0
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.attn_dropout = nn.Dropout(config.dropout)
        self.resid_dropout = nn.Dropout(config.dropout)
        slopes = 2.0 ** -torch.arange(1, config.n_head + 1)
        self.rel_bias = nn.Parameter(-slopes[:, None] * torch.arange(config.block_size))
        self.n_head = config.n_head
        self.n_embd = config.n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        # learned bias for each head and distance, starts as an ALiBi-like penalty
        dist = torch.arange(T)[:, None] - torch.arange(T)[None, :]
        att = att + self.rel_bias[:, dist.clamp(min=0)]
        att = att.masked_fill(mask, float("-inf"))
        att = self.attn_dropout(F.softmax(att, dim=-1))
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class MLP(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
        self.gelu = nn.GELU()
        self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x):
        return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = MLP(config)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        x = x + self.mlp(self.ln_2(x))
        return x


class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embd)
        self.pos = PositionalEncoding(config.n_embd, config.block_size)
        self.blocks = nn.ModuleList([Block(config) for _ in range(config.n_layer)])
        self.ln_f = nn.LayerNorm(config.n_embd)
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.wte.weight = self.lm_head.weight  # weight tying
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.08 / math.sqrt(2 * config.n_layer))

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.08)
            if getattr(module, "bias", None) is not None:
                torch.nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        x = self.pos(self.wte(idx))
        for block in self.blocks:
            x = block(x)
        x = self.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :]), None
        logits = self.lm_head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, max_new_tokens, temperature=1.0, top_k=None, stop=None):
        for _ in range(max_new_tokens):
            idx_cond = idx[:, -self.config.block_size:]
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :] / temperature
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float("Inf")
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
            if stop is not None and (idx_next == stop).all():
                break
        return idx


@torch.no_grad()
def estimate_loss(model):
    out = {}
    model.eval()
    for split in ["train", "val"]:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            _, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


def get_lr(it, warmup=10):
    if it < warmup:
        return learning_rate * (it + 1) / warmup
    ratio = (it - warmup) / (max_iters - warmup)
    return learning_rate * (0.05 + 0.95 * 0.5 * (1 + math.cos(math.pi * ratio)))


model = GPT(GPTConfig(vocab_size=len(chars), block_size=block_size, dropout=0.05))
print(sum(p.numel() for p in model.parameters()) / 1e3, "K parameters")
optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate, betas=(0.9, 0.98), weight_decay=0.01)

best_val_loss = 1e9
ckpt_path = os.path.join(tempfile.mkdtemp(), "ckpt.pt")

for iter in range(max_iters):
    for g in optimizer.param_groups:
        g["lr"] = get_lr(iter)
    if iter % eval_interval == 0 or iter == max_iters - 1:
        losses = estimate_loss(model)
        print(f"step {iter}: train loss {losses['train']:.4f}, val loss {losses['val']:.4f}")
        if losses["val"] < best_val_loss:
            best_val_loss = losses["val"]
            torch.save({"model": model.state_dict(), "config": asdict(model.config),
                        "best_val_loss": best_val_loss, "iter": iter}, ckpt_path)
    xb, yb = get_batch("train")
    logits, loss = model(xb, yb)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

ckpt = torch.load(ckpt_path)
model = GPT(GPTConfig(**ckpt["config"]))
model.load_state_dict(ckpt["model"])
model.eval()
os.remove(ckpt_path)
os.rmdir(os.path.dirname(ckpt_path))

context = torch.tensor([[stoi[";"]]])
print(decode(model.generate(context, 60, top_k=5)[0].tolist()))

# exact answers: all the sums that give one digit, in one batch
prompts = [(f";({a}+{b})=", a + b) for a in range(6) for b in range(6) if a + b < 10]
ids = torch.tensor([encode(p) for p, _ in prompts])
answer = torch.tensor([stoi[str(s)] for _, s in prompts])
logits, _ = model(ids)
sum_acc = (logits[:, -1].argmax(-1) == answer).float().mean()

# does it mirror the pair in <ab|ba> ?
mirror = [f";<{a}{b}|" for a in range(6) for b in range(6)]
gen = model.generate(torch.tensor([encode(m) for m in mirror]), 3, top_k=1)
hits = [decode(row[2:4].flip(0).tolist()) + ">" == decode(row[5:8].tolist()) for row in gen]

print(f"best val loss {ckpt['best_val_loss']:.4f} at step {ckpt['iter']}")
print(f"sum accuracy {sum_acc.item():.4f}")
print(f"mirror accuracy {sum(hits) / len(hits):.4f}")
