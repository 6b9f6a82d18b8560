import torch


class _Loader:
    def __init__(self, loader, device):
        self.loader, self.device = loader, device

    def __iter__(self):
        for batch in self.loader:
            yield [part.to(self.device) for part in batch]


class Accelerator:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    def _prepare_one(self, thing):
        if isinstance(thing, torch.nn.Module):
            return thing.to(self.device)
        if isinstance(thing, torch.utils.data.DataLoader):
            return _Loader(thing, self.device)
        return thing

    def prepare(self, *things):
        return tuple(self._prepare_one(thing) for thing in things)

    def backward(self, loss):
        loss.backward()

    def print(self, *parts):
        print(*parts)
