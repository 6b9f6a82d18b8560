import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def network():
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))


def main():
    model = network()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model = network().to(device)
    x, y = torch.randn(6, 4, device=device), torch.randn(6, 2, device=device)
    for _ in range(2):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item() >= 0)


main()
