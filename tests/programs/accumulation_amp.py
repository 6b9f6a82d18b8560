'''
Small character-level transformer LM on a synthetic "language".
Shows: bf16 autocast on the CPU, gradient accumulation, gradient clipping, warmup + cosine schedule.
'''
import math
import os
import random
import tempfile

import torch
import torch.nn as nn
from torch.nn import functional as F

# hyperparameters
seed = 1337
micro_batch_size = 8
accum_steps = 2          # effective batch = 16
block_size = 16
n_embd = 32
n_head = 4
n_layer = 1
dropout = 0.1
max_iters = 60           # optimizer steps
warmup_iters = 8
learning_rate = 1e-2
min_lr = 3e-4
grad_clip = 1.0
eval_interval = 20
eval_iters = 4
# ---------------

torch.manual_seed(seed)
random.seed(seed)


def make_corpus(n_sentences):
    subjects = ['the cat', 'a dog', 'my friend', 'the old man', 'nobody']
    verbs = ['sees', 'likes', 'chases', 'finds']
    objects = ['the moon', 'a red ball', 'the river', 'his hat']
    tails = ['', ' at night', ' every day', ' again']
    out = []
    for _ in range(n_sentences):
        s = random.choice(subjects) + ' ' + random.choice(verbs) + ' ' + random.choice(objects) + random.choice(tails)
        out.append(s + '.')
    return '\n'.join(out)


text = make_corpus(600)
chars = sorted(set(text))
vocab_size = len(chars)
stoi = {ch: i for i, ch in enumerate(chars)}
itos = {i: ch for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]
decode = lambda l: ''.join([itos[i] for i in l])

data = torch.tensor(encode(text), dtype=torch.long)
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]


def get_batch(split):
    d = train_data if split == 'train' else val_data
    ix = torch.randint(len(d) - block_size, (micro_batch_size,))
    x = torch.stack([d[i:i + block_size] for i in ix])
    y = torch.stack([d[i + 1:i + block_size + 1] for i in ix])
    return x, y


class CausalSelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.proj = nn.Linear(n_embd, n_embd)
        self.drop = nn.Dropout(dropout)
        self.register_buffer('tril', torch.tril(torch.ones(block_size, block_size)))

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (t.view(B, T, n_head, C // n_head).transpose(1, 2) for t in (q, k, v))
        att = q @ k.transpose(-2, -1) * (C // n_head) ** -0.5
        att = att.masked_fill(self.tril[:T, :T] == 0, float('-inf'))
        att = self.drop(F.softmax(att, dim=-1))
        y = (att @ v).transpose(1, 2).reshape(B, T, C)
        return self.drop(self.proj(y))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.ln1 = nn.LayerNorm(n_embd)
        self.attn = CausalSelfAttention()
        self.ln2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.GELU(), nn.Linear(4 * n_embd, n_embd), nn.Dropout(dropout))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        x = x + self.mlp(self.ln2(x))
        return x


class CharLM(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, n_embd)
        self.pos_emb = nn.Embedding(block_size, n_embd)
        self.blocks = nn.ModuleList([Block() for _ in range(n_layer)])
        self.ln_f = nn.LayerNorm(n_embd)
        self.lm_head = nn.Linear(n_embd, vocab_size, bias=False)
        self.lm_head.weight = self.tok_emb.weight  # weight tying
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.05)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.tok_emb(idx) + self.pos_emb(torch.arange(T))
        for block in self.blocks:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.view(-1, vocab_size), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, idx, max_new_tokens, top_k=5):
        self.eval()
        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -block_size:])
            logits = logits[:, -1, :]
            v, _ = torch.topk(logits, top_k)
            logits[logits < v[:, [-1]]] = -float('inf')
            probs = F.softmax(logits, dim=-1)
            idx = torch.cat((idx, torch.multinomial(probs, num_samples=1)), dim=1)
        return idx


def get_lr(it):
    if it < warmup_iters:
        return learning_rate * (it + 1) / warmup_iters
    ratio = (it - warmup_iters) / max(1, max_iters - warmup_iters)
    return min_lr + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (learning_rate - min_lr)


@torch.no_grad()
def estimate_loss(model):
    out = {}
    model.eval()
    for split in ['train', 'val']:
        losses = torch.zeros(eval_iters)
        for k in range(eval_iters):
            X, Y = get_batch(split)
            with torch.autocast(device_type='cpu', dtype=torch.bfloat16):
                _, loss = model(X, Y)
            losses[k] = loss.item()
        out[split] = losses.mean()
    model.train()
    return out


model = CharLM()
print(f'{sum(p.numel() for p in model.parameters())} parameters, vocabulary of {vocab_size}, {len(data)} characters')
optimizer = torch.optim.AdamW(model.parameters(), lr=1.0, betas=(0.9, 0.95), weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lr_lambda=get_lr)  # base lr is 1.0, so the lambda gives the lr

out_dir = tempfile.TemporaryDirectory()
best_val = float('inf')
grad_norms = []
n_clipped = 0

for it in range(max_iters):
    optimizer.zero_grad(set_to_none=True)
    loss_accum = 0.0
    for micro_step in range(accum_steps):
        X, Y = get_batch('train')
        with torch.autocast(device_type='cpu', dtype=torch.bfloat16):
            logits, loss = model(X, Y)
            loss = loss / accum_steps
        loss.backward()
        loss_accum += loss.detach()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), grad_clip)
    grad_norms.append(norm.item())
    n_clipped += int(norm > grad_clip)
    optimizer.step()
    scheduler.step()

    if (it + 1) % eval_interval == 0:
        losses = estimate_loss(model)
        print(f"step {it + 1}: lr {scheduler.get_last_lr()[0]:.5f} accum loss {loss_accum.item():.4f} "
              f"train {losses['train']:.4f} val {losses['val']:.4f}")
        if losses['val'] < best_val:
            best_val = losses['val']
            torch.save({'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'iter': it + 1,
                        'best_val': best_val}, os.path.join(out_dir.name, 'ckpt.pt'))

checkpoint = torch.load(os.path.join(out_dir.name, 'ckpt.pt'))
model.load_state_dict(checkpoint['model'])
out_dir.cleanup()

context = torch.zeros((1, 1), dtype=torch.long)
print('--- sample ---')
print(decode(model.generate(context, 60)[0].tolist()).strip())
print('---')
print(f"best step {checkpoint['iter']}, val loss {checkpoint['best_val'].item():.4f}, "
      f"perplexity {math.exp(checkpoint['best_val']):.3f}")
print(f'mean grad norm {sum(grad_norms) / len(grad_norms):.3f}, clipped {n_clipped}/{max_iters}')
