"""K-fold cross validation of an MLP regressor / classifier on a (simulated) credit table."""

import copy
import random
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import Dataset, DataLoader, SubsetRandomSampler

RANDOM_STATE = 2021
N_SPLITS = 4
NUM_COLS = ["income", "age", "debt", "tenure", "n_cards", "utilisation"]
CAT_COLS = {"region": 5, "job": 8, "channel": 3}


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def load_table(n=1200):
    """Returns X_num (n, 6) with missing values, X_cat (n, 3), y (n,)"""
    income = np.random.lognormal(10, 0.5, n)
    age = np.random.uniform(18, 75, n)
    debt = income * np.random.beta(2, 5, n)
    tenure = np.random.exponential(4, n)
    n_cards = np.random.poisson(2, n)
    util = np.random.beta(2, 3, n)
    X_num = np.column_stack([income, age, debt, tenure, n_cards, util])
    X_cat = np.column_stack([np.random.randint(0, k, n) for k in CAT_COLS.values()])
    job_effect = np.random.normal(0, 0.7, CAT_COLS["job"])
    z = (-1.8 + 5.0 * (debt / income) + 2.5 * (util - 0.4) * (n_cards > 1) - 0.1 * tenure
         + 0.0008 * (age - 45) ** 2 + job_effect[X_cat[:, 1]])
    y = (np.random.rand(n) < 1 / (1 + np.exp(-z))).astype(np.float32)
    X_num[np.random.rand(*X_num.shape) < 0.03] = np.nan
    return X_num, X_cat, y


class StandardScaler:
    def fit(self, X):
        self.mean_ = np.nanmean(X, axis=0)
        self.scale_ = np.nanstd(X, axis=0)
        self.scale_[self.scale_ == 0] = 1.0
        return self

    def transform(self, X):
        Z = (X - self.mean_) / self.scale_
        return np.where(np.isnan(Z), 0.0, Z)


def stratified_kfold(y, n_splits, rng):
    folds = [[] for _ in range(n_splits)]
    for c in np.unique(y):
        idx = rng.permutation(np.where(y == c)[0])
        for i, part in enumerate(np.array_split(idx, n_splits)):
            folds[i].extend(part.tolist())
    for i in range(n_splits):
        val = np.array(sorted(folds[i]))
        trn = np.array(sorted(j for k in range(n_splits) if k != i for j in folds[k]))
        yield trn, val


class CreditDataset(Dataset):
    def __init__(self, X_num, X_cat, y):
        self.X_num = torch.FloatTensor(X_num)
        self.X_cat = torch.LongTensor(X_cat)
        self.y = torch.FloatTensor(y)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"num": self.X_num[i], "cat": self.X_cat[i], "target": self.y[i]}


class TabularMLP(nn.Module):
    def __init__(self, n_num, cardinalities, hidden=(64, 32), p=0.2):
        super().__init__()
        self.embeddings = nn.ModuleList([nn.Embedding(c, min(8, (c + 1) // 2)) for c in cardinalities])
        d = n_num + sum(e.embedding_dim for e in self.embeddings)
        layers = OrderedDict()
        for i, h in enumerate(hidden):
            layers["fc%d" % i] = nn.Linear(d, h)
            layers["bn%d" % i] = nn.BatchNorm1d(h)
            layers["act%d" % i] = nn.ReLU()
            layers["drop%d" % i] = nn.Dropout(p)
            d = h
        layers["out"] = nn.Linear(d, 1)
        self.mlp = nn.Sequential(layers)

    def forward(self, num, cat):
        embs = [e(cat[:, i]) for i, e in enumerate(self.embeddings)]
        return self.mlp(torch.cat([num] + embs, dim=1)).squeeze(1)


class EarlyStopping:
    def __init__(self, patience=4, min_delta=1e-4):
        self.patience = patience
        self.min_delta = min_delta
        self.best_score = -np.inf
        self.counter = 0
        self.best_state = None
        self.best_epoch = -1

    def step(self, score, model, epoch):
        if score > self.best_score + self.min_delta:
            self.best_score = score
            self.best_state = copy.deepcopy(model.state_dict())
            self.best_epoch = epoch
            self.counter = 0
        else:
            self.counter += 1
        return self.counter >= self.patience


def roc_auc(y_true, score):
    """rank formula, average ranks for ties"""
    order = np.argsort(score, kind="mergesort")
    ranks = np.empty(len(score))
    ranks[order] = np.arange(1, len(score) + 1)
    for v in np.unique(score):
        m = score == v
        if m.sum() > 1:
            ranks[m] = ranks[m].mean()
    pos = y_true == 1
    n_pos, n_neg = pos.sum(), (~pos).sum()
    return (ranks[pos].sum() - n_pos * (n_pos + 1) / 2) / (n_pos * n_neg)


def predict(model, loader):
    model.eval()
    out = []
    with torch.no_grad():
        for batch in loader:
            out.extend(torch.sigmoid(model(batch["num"], batch["cat"])).tolist())
    return np.array(out)


def train_fold(fold, X_num, X_cat, y, trn_idx, val_idx, max_epochs=12):
    scaler = StandardScaler().fit(X_num[trn_idx])
    ds = CreditDataset(scaler.transform(X_num), X_cat, y)
    trn_loader = DataLoader(ds, batch_size=96, sampler=SubsetRandomSampler(trn_idx.tolist()),
                            drop_last=True, num_workers=0)
    val_loader = DataLoader(torch.utils.data.Subset(ds, val_idx.tolist()), batch_size=256, shuffle=False, num_workers=0)

    model = TabularMLP(len(NUM_COLS), list(CAT_COLS.values()))
    y_trn = y[trn_idx]
    pos_weight = torch.tensor([(y_trn == 0).sum() / (y_trn == 1).sum()], dtype=torch.float)
    criterion = nn.BCEWithLogitsLoss(pos_weight=pos_weight)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3, weight_decay=1e-2)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max", factor=0.5, patience=1)
    stopper = EarlyStopping(patience=3)

    for epoch in range(max_epochs):
        model.train()
        train_losses = []
        for batch in trn_loader:
            optimizer.zero_grad()
            logits = model(batch["num"], batch["cat"])
            loss = criterion(logits, batch["target"])
            loss.backward()
            optimizer.step()
            train_losses.append(loss.item())
        val_pred = predict(model, val_loader)
        auc = roc_auc(y[val_idx], val_pred)
        scheduler.step(auc)
        if stopper.step(auc, model, epoch):
            break

    model.load_state_dict(stopper.best_state)
    val_pred = predict(model, val_loader)
    print("fold %d: stopped after %2d epochs, best %2d, train loss %.4f, AUC %.4f"
          % (fold, epoch + 1, stopper.best_epoch + 1, np.mean(train_losses), stopper.best_score))
    return val_pred, stopper.best_score, (scaler, model)


def main():
    seed_everything(RANDOM_STATE)
    X_num, X_cat, y = load_table()
    holdout = np.random.permutation(len(y))[:240]
    dev = np.setdiff1d(np.arange(len(y)), holdout)
    Xn, Xc, yd = X_num[dev], X_cat[dev], y[dev]
    print("rows: %d dev, %d holdout, positive rate %.3f" % (len(dev), len(holdout), y.mean()))

    oof = np.zeros(len(dev))
    scores, models = [], []
    for fold, (trn_idx, val_idx) in enumerate(stratified_kfold(yd, N_SPLITS, np.random.RandomState(RANDOM_STATE))):
        oof[val_idx], score, fitted = train_fold(fold, Xn, Xc, yd, trn_idx, val_idx)
        scores.append(score)
        models.append(fitted)

    # blend of the fold models on the holdout
    blend = np.zeros(len(holdout))
    for scaler, model in models:
        ds = CreditDataset(scaler.transform(X_num[holdout]), X_cat[holdout], y[holdout])
        blend += predict(model, DataLoader(ds, batch_size=128)) / len(models)

    print("CV AUC: %.4f +/- %.4f" % (np.mean(scores), np.std(scores)))
    print("OOF AUC: %.4f" % roc_auc(yd, oof))
    print("holdout AUC: %.4f, accuracy %.4f" % (roc_auc(y[holdout], blend), ((blend > 0.5) == y[holdout]).mean()))


if __name__ == "__main__":
    main()
