"""Convolution-free VAE (plus a conditional one) on synthetic 12x12 bar images.

Kingma & Welling, https://arxiv.org/abs/1312.6114
"""
import math
import tempfile

import numpy as np
import torch
from torch import nn, optim
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)

SIDE = 12
DIM = SIDE * SIDE


class Bars(Dataset):
    """Binary images with bars at one of four orientations; the label is the orientation."""

    def __init__(self, n, seed):
        gen = torch.Generator().manual_seed(seed)
        self.y = torch.randint(0, 4, (n,), generator=gen)
        pos = torch.randint(1, SIDE - 2, (n,), generator=gen)
        thick = torch.randint(1, 4, (n,), generator=gen)
        self.x = torch.zeros(n, SIDE, SIDE)
        ii = torch.arange(SIDE)
        for k in range(n):
            p, t = pos[k].item(), thick[k].item()
            if self.y[k] == 0:
                self.x[k, p:p + t, :] = 1
            elif self.y[k] == 1:
                self.x[k, :, p:p + t] = 1
            elif self.y[k] == 2:
                self.x[k][(ii[:, None] - ii[None, :] + p - SIDE // 2).abs() < t] = 1
            else:
                self.x[k][(ii[:, None] + ii[None, :] - SIDE + 1 - p + SIDE // 2).abs() < t] = 1
        flip = torch.rand(self.x.shape, generator=gen) < 0.02
        self.x[flip] = 1 - self.x[flip]

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x[i].unsqueeze(0), self.y[i]


class VAE(nn.Module):
    def __init__(self, z_dim=6, h_dim=96, n_classes=0):
        super().__init__()
        self.z_dim = z_dim
        self.n_classes = n_classes
        self.fc1 = nn.Linear(DIM + n_classes, h_dim)
        self.fc_mu = nn.Linear(h_dim, z_dim)
        self.fc_logvar = nn.Linear(h_dim, z_dim)
        self.fc3 = nn.Linear(z_dim + n_classes, h_dim)
        self.fc4 = nn.Linear(h_dim, DIM)

    def _cond(self, t, y):
        if self.n_classes == 0:
            return t
        return torch.cat([t, F.one_hot(y, self.n_classes).float()], dim=1)

    def encode(self, x, y=None):
        h = F.relu(self.fc1(self._cond(x.view(-1, DIM), y)))
        return self.fc_mu(h), self.fc_logvar(h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def decode(self, z, y=None):
        h = F.relu(self.fc3(self._cond(z, y)))
        return self.fc4(h)

    def forward(self, x, y=None):
        mu, logvar = self.encode(x, y)
        z = self.reparameterize(mu, logvar)
        return self.decode(z, y), mu, logvar

    def sample(self, n, y=None):
        z = torch.randn(n, self.z_dim)
        return torch.sigmoid(self.decode(z, y)).view(n, 1, SIDE, SIDE)


def loss_function(logits, x, mu, logvar, beta=1.0):
    bce = F.binary_cross_entropy_with_logits(logits, x.view(-1, DIM), reduction="sum")
    # 0.5 * sum(1 + log(sigma^2) - mu^2 - sigma^2)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return bce + beta * kld, bce, kld


def train(model, loader, optimizer, epoch, n_warm=4):
    model.train()
    beta = min(1.0, (epoch + 1) / n_warm)
    totals = np.zeros(3)
    for x, y in loader:
        optimizer.zero_grad()
        logits, mu, logvar = model(x, y)
        loss, bce, kld = loss_function(logits, x, mu, logvar, beta)
        (loss / len(x)).backward()
        optimizer.step()
        totals += [loss.item(), bce.item(), kld.item()]
    return totals / len(loader.dataset)


def test(model, loader):
    model.eval()
    elbo = 0
    latents, labels = [], []
    with torch.no_grad():
        for x, y in loader:
            logits, mu, logvar = model(x, y)
            elbo -= loss_function(logits, x, mu, logvar)[0].item()
            latents.append(mu.numpy())
            labels.append(y.numpy())
    return elbo / len(loader.dataset), np.concatenate(latents), np.concatenate(labels)


@torch.no_grad()
def iwae_bound(model, x, y=None, k=50):
    """Importance weighted log p(x) estimate, checked against torch.distributions."""
    mu, logvar = model.encode(x, y)
    q = Independent(Normal(mu, (0.5 * logvar).exp()), 1)
    prior = Independent(Normal(torch.zeros(model.z_dim), torch.ones(model.z_dim)), 1)
    z = q.sample((k,))                                   # k, B, Z
    flat = z.view(-1, model.z_dim)
    yy = None if y is None else y.repeat(k)
    px = Independent(Bernoulli(logits=model.decode(flat, yy).view(k, -1, DIM)), 1)
    logw = px.log_prob(x.view(1, -1, DIM)) + prior.log_prob(z) - q.log_prob(z)
    kl = kl_divergence(q.base_dist, Normal(0.0, 1.0)).sum(-1)
    return (torch.logsumexp(logw, 0) - math.log(k)).mean().item(), kl.mean().item()


def knn_accuracy(z_train, y_train, z_test, y_test, k=5):
    d = ((z_test[:, None, :] - z_train[None]) ** 2).sum(-1)
    nearest = np.argsort(d, axis=1, kind="stable")[:, :k]
    votes = np.array([np.bincount(y_train[row], minlength=4).argmax() for row in nearest])
    return (votes == y_test).mean()


def run(name, n_classes, epochs, train_loader, test_loader):
    model = VAE(n_classes=n_classes)
    optimizer = optim.Adam(model.parameters(), lr=4e-3)
    best = -float("inf")
    with tempfile.NamedTemporaryFile(suffix=".pt") as f:
        for epoch in range(epochs):
            tot, bce, kld = train(model, train_loader, optimizer, epoch)
            elbo, _, _ = test(model, test_loader)
            if epoch % 3 == 0 or epoch == epochs - 1:
                print("{} epoch {:2d} | loss {:.3f} = {:.3f} + kl {:.3f} | test elbo {:.3f}".format(
                    name, epoch, tot, bce, kld, elbo))
            if elbo > best:
                best = elbo
                torch.save(model, f.name)
        model = torch.load(f.name, weights_only=False)
    return model, best


def ascii_image(img):
    chars = np.array(list(" .:*#"))
    idx = (img.squeeze().numpy() * 4.999).astype(int)
    return "\n".join("".join(row) for row in chars[idx])


if __name__ == "__main__":
    train_set, test_set = Bars(2000, seed=1), Bars(500, seed=2)
    train_loader = DataLoader(train_set, batch_size=100, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=250)

    vae, best = run("vae ", 0, 8, train_loader, test_loader)
    cvae, cbest = run("cvae", 4, 8, train_loader, test_loader)

    x, y = next(iter(test_loader))
    bound, kl = iwae_bound(vae, x)
    cbound, ckl = iwae_bound(cvae, x, y)

    _, ztr, ytr = test(vae, DataLoader(train_set, batch_size=500))
    _, zte, yte = test(vae, test_loader)
    acc = knn_accuracy(ztr, ytr, zte, yte)
    active = int((zte.var(axis=0) > 0.05).sum())

    wanted = torch.arange(4).repeat_interleave(2)
    with torch.no_grad():
        imgs = cvae.sample(8, wanted)
    for j in (0, 6):
        print("sampled, orientation %d" % wanted[j])
        print(ascii_image(imgs[j]))

    print("vae  elbo %.3f iwae %.3f kl %.3f active %d" % (best, bound, kl, active))
    print("cvae elbo %.3f iwae %.3f kl %.3f" % (cbest, cbound, ckl))
    print("knn accuracy on mu: %.4f" % acc)
