import torch


@torch.no_grad()
def collect(model, loader, device):
    model.eval()
    outputs, targets = [], []
    for x, y in loader:
        outputs.append(model(x.to(device)))
        targets.append(y)
    return torch.cat(outputs), torch.cat(targets)
