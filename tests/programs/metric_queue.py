"""
MoCo on synthetic 1-D signals (after https://github.com/facebookresearch/moco, single process).

pretrain:    query encoder + momentum key encoder + queue of negatives, InfoNCE
evaluation:  kNN on frozen features, and a linear probe
"""
import os
import time
import shutil
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class AverageMeter(object):
    """Computes and stores the average and current value"""

    def __init__(self, name, fmt=":f"):
        self.name = name
        self.fmt = fmt
        self.reset()

    def reset(self):
        self.val = 0
        self.avg = 0
        self.sum = 0
        self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count

    def __str__(self):
        fmtstr = "{name} {val" + self.fmt + "} ({avg" + self.fmt + "})"
        return fmtstr.format(**self.__dict__)


# ------------------------------------------------------------------ data
def synth_signals(n_per_class, n_classes, length, rng):
    t = np.linspace(0, 1, length)
    xs, ys = [], []
    for c in range(n_classes):
        f1, f2 = 2 + 1.5 * c, 9 - c
        for _ in range(n_per_class):
            phase = rng.uniform(0, 2 * np.pi, size=2)
            amp = rng.uniform(0.6, 1.4, size=2)
            x = amp[0] * np.sin(2 * np.pi * f1 * t + phase[0])
            x += 0.7 * amp[1] * np.sin(2 * np.pi * f2 * t + phase[1]) ** 3
            x += rng.normal(0, 0.5, length)
            xs.append(x)
            ys.append(c)
    return np.array(xs, dtype=np.float32), np.array(ys)


class TwoCropsTransform:
    """Take two random augmentations of one signal as the query and key."""

    def __init__(self, base_transform):
        self.base_transform = base_transform

    def __call__(self, x):
        return [self.base_transform(x), self.base_transform(x)]


def augment(x):
    # jitter, scale, circular shift, random cutout
    x = x * (0.7 + 0.6 * torch.rand(1)) + 0.1 * torch.randn_like(x)
    x = torch.roll(x, int(torch.randint(0, x.shape[-1], (1,))), dims=-1)
    start = int(torch.randint(0, x.shape[-1] - 12, (1,)))
    x[..., start:start + 12] = 0
    return x


class SignalDataset(torch.utils.data.Dataset):
    def __init__(self, x, y, transform=None):
        self.x = torch.from_numpy(x).unsqueeze(1)
        self.y = torch.from_numpy(y)
        self.transform = transform

    def __len__(self):
        return len(self.y)

    def __getitem__(self, index):
        x = self.x[index]
        if self.transform is not None:
            x = self.transform(x)
        return x, self.y[index], index


# ------------------------------------------------------------------ model
class Encoder(nn.Module):
    def __init__(self, feat_dim=64, num_classes=32):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, 16, 7, stride=2, padding=3), nn.BatchNorm1d(16), nn.ReLU(),
            nn.Conv1d(16, 32, 5, stride=2, padding=2), nn.BatchNorm1d(32), nn.ReLU(),
            nn.Conv1d(32, feat_dim, 3, stride=2, padding=1), nn.BatchNorm1d(feat_dim), nn.ReLU(),
            nn.AdaptiveAvgPool1d(1), nn.Flatten(),
        )
        self.fc = nn.Sequential(nn.Linear(feat_dim, feat_dim), nn.ReLU(), nn.Linear(feat_dim, num_classes))

    def forward(self, x):
        return self.fc(self.features(x))


class MoCo(nn.Module):
    def __init__(self, base_encoder, dim=32, K=512, m=0.99, T=0.2):
        super(MoCo, self).__init__()
        self.K = K
        self.m = m
        self.T = T

        self.encoder_q = base_encoder(num_classes=dim)
        self.encoder_k = base_encoder(num_classes=dim)
        for param_q, param_k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            param_k.data.copy_(param_q.data)  # initialize
            param_k.requires_grad = False  # not update by gradient

        # create the queue
        self.register_buffer("queue", torch.randn(dim, K))
        self.queue = nn.functional.normalize(self.queue, dim=0)
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def _momentum_update_key_encoder(self):
        for param_q, param_k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            param_k.data = param_k.data * self.m + param_q.data * (1.0 - self.m)

    @torch.no_grad()
    def _dequeue_and_enqueue(self, keys):
        batch_size = keys.shape[0]
        ptr = int(self.queue_ptr)
        assert self.K % batch_size == 0  # for simplicity
        self.queue[:, ptr:ptr + batch_size] = keys.T
        self.queue_ptr[0] = (ptr + batch_size) % self.K

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self._momentum_update_key_encoder()
            # shuffle so that BN statistics cannot leak the answer
            idx_shuffle = torch.randperm(im_k.shape[0])
            idx_unshuffle = torch.argsort(idx_shuffle)
            k = F.normalize(self.encoder_k(im_k[idx_shuffle]), dim=1)
            k = k[idx_unshuffle]

        # Einstein sum is more intuitive
        l_pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])
        logits = torch.cat([l_pos, l_neg], dim=1)
        logits /= self.T
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self._dequeue_and_enqueue(k)
        return logits, labels


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        maxk = max(topk)
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        return [correct[:k].reshape(-1).float().sum(0).mul_(100.0 / target.size(0)).item() for k in topk]


def adjust_learning_rate(optimizer, epoch, base_lr, epochs):
    lr = base_lr * 0.5 * (1.0 + np.cos(np.pi * epoch / epochs))
    for param_group in optimizer.param_groups:
        param_group["lr"] = float(lr)


# ------------------------------------------------------------------ evaluation
@torch.no_grad()
def extract(encoder, loader, n):
    encoder.eval()
    bank, labels = None, torch.zeros(n, dtype=torch.long)
    for x, y, index in loader:
        f = F.normalize(encoder.features(x), dim=1)
        if bank is None:
            bank = torch.zeros(n, f.shape[1])
        bank[index] = f
        labels[index] = y
    return bank, labels


def knn_predict(train_f, train_y, test_f, n_classes, k=15, t=0.1):
    sim = test_f @ train_f.T
    w, idx = sim.topk(k, dim=1)
    votes = torch.zeros(len(test_f), n_classes).scatter_add_(1, train_y[idx], (w / t).exp())
    return votes.argmax(dim=1)


def linear_probe(train_f, train_y, test_f, test_y, n_classes, steps=100):
    clf = nn.Linear(train_f.shape[1], n_classes)
    clf.weight.data.normal_(mean=0.0, std=0.01)
    clf.bias.data.zero_()
    opt = torch.optim.SGD(clf.parameters(), lr=5.0, momentum=0.9)
    for _ in range(steps):
        loss = F.cross_entropy(clf(train_f), train_y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return accuracy(clf(test_f), test_y, topk=(1, 2))


def main():
    torch.manual_seed(42)
    rng = np.random.default_rng(42)
    n_classes, epochs, bs, lr = 6, 6, 64, 0.06

    xtr, ytr = synth_signals(96, n_classes, 96, rng)
    xte, yte = synth_signals(40, n_classes, 96, rng)
    pretrain = torch.utils.data.DataLoader(SignalDataset(xtr, ytr, TwoCropsTransform(augment)),
                                           batch_size=bs, shuffle=True, drop_last=True)
    plain_tr = torch.utils.data.DataLoader(SignalDataset(xtr, ytr), batch_size=256)
    plain_te = torch.utils.data.DataLoader(SignalDataset(xte, yte), batch_size=256)

    model = MoCo(Encoder)
    optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr,
                                momentum=0.9, weight_decay=1e-4)

    def knn():
        a, la = extract(model.encoder_q, plain_tr, len(ytr))
        b, lb = extract(model.encoder_q, plain_te, len(yte))
        return (knn_predict(a, la, b, n_classes) == lb).numpy().mean() * 100

    print("kNN before pretraining: {:.3f}".format(knn()))
    workdir = tempfile.mkdtemp(prefix="moco_")
    end = time.time()
    for epoch in range(epochs):
        losses = AverageMeter("Loss", ":.4f")
        top1 = AverageMeter("Acc@1", ":6.2f")
        adjust_learning_rate(optimizer, epoch, lr, epochs)
        model.train()
        for images, _, _ in pretrain:
            output, target = model(im_q=images[0], im_k=images[1])
            loss = F.cross_entropy(output, target)
            acc1, acc5 = accuracy(output, target, topk=(1, 5))
            losses.update(loss.item(), images[0].size(0))
            top1.update(acc1, images[0].size(0))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("Epoch [{}] {} {}".format(epoch, losses, top1))
        torch.save({"epoch": epoch + 1, "state_dict": model.state_dict(), "optimizer": optimizer.state_dict()},
                   os.path.join(workdir, "checkpoint_{:04d}.pth.tar".format(epoch)))
    elapsed = time.time() - end
    assert elapsed > 0

    # load only the query encoder, as the linear evaluation script of MoCo does
    checkpoint = torch.load(os.path.join(workdir, "checkpoint_{:04d}.pth.tar".format(epochs - 1)))
    state_dict = checkpoint["state_dict"]
    for k in list(state_dict.keys()):
        if k.startswith("encoder_q."):
            state_dict[k[len("encoder_q."):]] = state_dict[k]
        del state_dict[k]
    encoder = Encoder()
    msg = encoder.load_state_dict(state_dict, strict=False)
    assert len(msg.missing_keys) == 0 and len(msg.unexpected_keys) == 0
    shutil.rmtree(workdir)

    tr_f, tr_y = extract(encoder, plain_tr, len(ytr))
    te_f, te_y = extract(encoder, plain_te, len(yte))
    top1, top2 = linear_probe(tr_f, tr_y, te_f, te_y, n_classes)
    print("kNN after pretraining: {:.3f}".format(knn()))
    print("linear probe: top-1 {:.3f} top-2 {:.3f}".format(top1, top2))
    print("queue pointer at the end:", int(model.queue_ptr))


if __name__ == "__main__":
    main()
