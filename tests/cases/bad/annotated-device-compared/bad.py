import torch
from torch import nn


def evaluate(model: nn.Module, x: torch.Tensor, device: torch.device):
    x = x.to(device)
    if device == "cuda":
        with torch.autocast(device.type):
            return model(x)
    return model(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(4, 2).to(device).eval()
    print(evaluate(model, torch.randn(3, 4), device).shape)


main()
