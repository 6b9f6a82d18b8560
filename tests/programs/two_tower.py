# Two-tower retrieval (users x items), in-batch sampled softmax with logQ correction.
# Roughly follows "Sampling-Bias-Corrected Neural Modeling for Large Corpus Item
# Recommendations" (Yi et al. 2019), on made-up data.

import logging
import random
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset, DataLoader

logging.basicConfig(level=logging.INFO, format="%(message)s")
log = logging.getLogger("two_tower")


@dataclass
class Config:
    n_users: int = 400
    n_items: int = 300
    n_genres: int = 12
    inter_per_user: int = 14
    max_history: int = 8
    dim: int = 32
    batch_size: int = 128
    epochs: int = 6
    lr: float = 5e-3
    temperature: float = 0.1
    seed: int = 13


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def make_interactions(cfg):
    """users like 2 genres; popularity of the items inside a genre is zipf-like"""
    item_genre = np.random.randint(0, cfg.n_genres, size=cfg.n_items)
    pop = 1.0 / (1 + np.random.permutation(cfg.n_items)) ** 0.6
    item_price = np.random.rand(cfg.n_items).astype(np.float32)
    user_age = np.random.rand(cfg.n_users).astype(np.float32)
    log_by_user = defaultdict(list)
    for u in range(cfg.n_users):
        likes = np.random.choice(cfg.n_genres, size=2, replace=False)
        w = pop * np.where(np.isin(item_genre, likes), 1.0, 0.02)
        w = w * np.exp(-2 * np.abs(item_price - user_age[u]))
        picked = np.random.choice(cfg.n_items, size=cfg.inter_per_user, replace=False, p=w / w.sum())
        log_by_user[u] = (picked + 1).tolist()      # 0 is the padding item
    return item_genre, item_price, user_age, log_by_user


class InteractionDataset(Dataset):
    def __init__(self, log_by_user, user_age, max_history):
        self.user_age = user_age
        self.rows = []
        for u, items in log_by_user.items():
            # leave the last two for the test
            for t in range(2, len(items) - 2):
                self.rows.append((u, items[max(0, t - max_history):t], items[t]))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        u, hist, pos = self.rows[i]
        return {"user": u, "age": self.user_age[u], "history": torch.LongTensor(hist), "item": pos}


def collate(samples):
    return {
        "user": torch.LongTensor([s["user"] for s in samples]),
        "age": torch.FloatTensor([s["age"] for s in samples]),
        "history": pad_sequence([s["history"] for s in samples], batch_first=True, padding_value=0),
        "item": torch.LongTensor([s["item"] for s in samples]),
    }


class ItemTower(nn.Module):
    def __init__(self, cfg, genres, prices):
        super().__init__()
        self.emb = nn.Embedding(cfg.n_items + 1, cfg.dim, padding_idx=0)
        self.genre_emb = nn.Embedding(cfg.n_genres + 1, 8, padding_idx=0)
        self.register_buffer("genres", torch.cat([torch.zeros(1, dtype=torch.long), torch.from_numpy(genres) + 1]))
        self.register_buffer("prices", torch.cat([torch.zeros(1), torch.from_numpy(prices)]))
        self.mlp = nn.Sequential(nn.Linear(cfg.dim + 8 + 1, 64), nn.ReLU(), nn.Linear(64, cfg.dim))

    def forward(self, ids):
        feats = torch.cat([self.emb(ids), self.genre_emb(self.genres[ids]), self.prices[ids].unsqueeze(-1)], dim=-1)
        return F.normalize(self.mlp(feats), dim=-1)


class UserTower(nn.Module):
    def __init__(self, cfg, item_emb):
        super().__init__()
        self.item_emb = item_emb        # shared with the item tower
        self.att = nn.Linear(cfg.dim, 1)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim + 1, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, cfg.dim))

    def forward(self, age, history):
        h = self.item_emb(history)
        mask = history == 0
        w = self.att(torch.tanh(h)).squeeze(-1).masked_fill(mask, -1e9).softmax(dim=1)
        pooled = (w.unsqueeze(-1) * h).sum(1)
        return F.normalize(self.mlp(torch.cat([pooled, age[:, None]], dim=1)), dim=-1)


class TwoTower(nn.Module):
    def __init__(self, cfg, genres, prices, item_freq):
        super().__init__()
        self.item_tower = ItemTower(cfg, genres, prices)
        self.user_tower = UserTower(cfg, self.item_tower.emb)
        self.log_temp = nn.Parameter(torch.tensor(float(np.log(cfg.temperature))))
        self.log_q = torch.log(torch.as_tensor(item_freq, dtype=torch.float32) + 1e-6)

    def forward(self, batch):
        u = self.user_tower(batch["age"], batch["history"])
        v = self.item_tower(batch["item"])
        scores = u @ v.t() / self.log_temp.exp()
        scores = scores - self.log_q[batch["item"]][None, :]
        # the same item may occur twice in the batch: not a negative then
        same = batch["item"][:, None] == batch["item"][None, :]
        same = same & ~torch.eye(len(u), dtype=torch.bool)
        scores = scores.masked_fill(same, float("-inf"))
        labels = torch.arange(len(u))
        loss = F.cross_entropy(scores, labels)
        acc = (scores.argmax(1) == labels).float().mean()
        return loss, acc


def recall_at_k(model, cfg, log_by_user, user_age, ks=(5, 10, 50)):
    model.eval()
    with torch.no_grad():
        index = model.item_tower(torch.arange(1, cfg.n_items + 1)).numpy()
        hists = [torch.tensor(items[:-2][-cfg.max_history:]) for items in log_by_user.values()]
        users = model.user_tower(torch.tensor(user_age), pad_sequence(hists, batch_first=True)).numpy()
    scores = users @ index.T
    recalls = {k: [] for k in ks}
    rr = []
    for u, items in log_by_user.items():
        s = scores[u].copy()
        s[np.array(items[:-2]) - 1] = -np.inf        # already seen
        ranking = np.argsort(-s, kind="stable") + 1
        truth = set(items[-2:])
        for k in ks:
            recalls[k].append(len(truth.intersection(ranking[:k].tolist())) / len(truth))
        first = min(int(np.where(ranking == t)[0][0]) for t in truth)
        rr.append(1.0 / (first + 1))
    return {k: float(np.mean(v)) for k, v in recalls.items()}, float(np.mean(rr))


def main():
    cfg = Config()
    set_seed(cfg.seed)
    genres, prices, ages, log_by_user = make_interactions(cfg)

    freq = np.zeros(cfg.n_items + 1)
    for items in log_by_user.values():
        for i in items[:-2]:
            freq[i] += 1
    freq = freq / freq.sum()

    train_ds = InteractionDataset(log_by_user, ages, cfg.max_history)
    loader = DataLoader(train_ds, batch_size=cfg.batch_size, shuffle=True, drop_last=True, collate_fn=collate, num_workers=0)
    log.info("%d training rows, %d batches", len(train_ds), len(loader))

    model = TwoTower(cfg, genres, prices, freq)
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)

    rec, mrr = recall_at_k(model, cfg, log_by_user, ages)
    log.info("untrained: recall@10 %.4f  mrr %.4f", rec[10], mrr)

    for epoch in range(cfg.epochs):
        model.train()
        losses, accs = [], []
        for batch in loader:
            loss, acc = model(batch)
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.detach())
            accs.append(acc)
        log.info("epoch %d  loss %.4f  in-batch acc %.4f", epoch + 1,
                 torch.stack(losses).mean().item(), torch.stack(accs).mean().item())

    rec, mrr = recall_at_k(model, cfg, log_by_user, ages)
    for k, v in rec.items():
        print("recall@%d: %.4f" % (k, v))
    print("mrr: %.4f" % mrr)
    print("temperature: %.4f" % model.log_temp.exp().item())


if __name__ == "__main__":
    main()
