import torch


class Exported(torch.nn.Module):
    def __init__(self, model, classes):
        """Wrap a model.

        Args:
            model (torch.nn.Module): already where it has to be.
        """
        super().__init__()
        self.model = model
        self.classes = classes

    def forward(self, x):
        scores = self.model(x)
        kept = scores.topk(self.classes).indices
        return kept.to(scores.dtype)


def dry_run(model, classes, device):
    image = torch.zeros(2, 8).to(device)
    return Exported(model, classes)(image)


def load(name, device):
    return torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Linear(16, len(name))).to(device)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(dry_run(load("export", device), 2, device).shape)
