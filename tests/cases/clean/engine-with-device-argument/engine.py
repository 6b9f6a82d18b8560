import torch
import torch.nn.functional as F

from utils import send


def train_one_epoch(model, optimizer, loader, device):
    model.train()
    for batch in loader:
        images, targets = send(batch, device)
        loss = F.cross_entropy(model(images), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    hits = torch.zeros((), device=device)
    for batch in loader:
        images, targets = send(batch, device)
        hits += (model(images).argmax(1) == targets).sum()
    return hits.item() / len(loader.dataset)
