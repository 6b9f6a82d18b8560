import torch
from torch import optim
from torch.utils.data import DataLoader, TensorDataset

from engine import evaluate, train_one_epoch
from models import build_model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(48, 9)
    y = (x.sum(1) > 0).long()
    loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
    model = build_model("mlp", n_in=9, n_out=2).to(device)
    optimizer = optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(2):
        loss = train_one_epoch(model, loader, optimizer, device)
        accuracy = evaluate(model, loader, device)
        print(f"{epoch}: {loss:.3f} {accuracy:.2f}")


if __name__ == "__main__":
    main()
