import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class EmbeddingNet(nn.Module):
    def __init__(self, in_features, dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(in_features, 32), nn.PReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return F.normalize(self.body(x), dim=1)


def train_step(model, anchor, positive, negative, optimizer):
    loss = F.triplet_margin_loss(model(anchor), model(positive), model(negative), margin=0.2)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


@torch.inference_mode()
def compute_embeddings(model, loader):
    model.eval()
    device = next(model.parameters()).device
    vectors, labels = [], []
    for samples, target in loader:
        vectors.append(model(samples.to(device)).cpu())
        labels.append(target)
    return torch.cat(vectors), torch.cat(labels)


def precision_at_one(vectors, labels):
    similarity = vectors @ vectors.t()
    similarity.fill_diagonal_(-1)
    nearest = similarity.argmax(dim=1)
    return (labels[nearest] == labels).float().mean().item()


def main(argv=()):
    parser = argparse.ArgumentParser()
    parser.add_argument("--dim", type=int, default=8)
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args(list(argv))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = EmbeddingNet(10, args.dim).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(args.steps):
        triplet = [torch.randn(12, 10, device=device) for _ in range(3)]
        train_step(model, *triplet, optimizer)
    gallery = TensorDataset(torch.randn(30, 10), torch.randint(0, 5, (30,)))
    vectors, labels = compute_embeddings(model, DataLoader(gallery, batch_size=10))
    print(precision_at_one(vectors, labels))


if __name__ == "__main__":
    main()
