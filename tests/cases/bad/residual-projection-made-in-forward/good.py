import torch
import torch.nn as nn


class TemporalBlock(nn.Module):
    def __init__(self, n_in, n_out, kernel, dilation):
        super().__init__()
        self.n_out = n_out
        self.pad = nn.ConstantPad1d(((kernel - 1) * dilation, 0), 0.0)
        self.conv = nn.Conv1d(n_in, n_out, kernel, dilation=dilation)
        self.act = nn.ReLU()
        self.shortcut = nn.Conv1d(n_in, n_out, 1) if n_in != n_out else nn.Identity()

    def forward(self, x):
        out = self.act(self.conv(self.pad(x)))
        return self.act(out + self.shortcut(x))


class TCN(nn.Module):
    def __init__(self, channels=(2, 6, 6), kernel=3):
        super().__init__()
        blocks = [TemporalBlock(a, b, kernel, 2**i) for i, (a, b) in enumerate(zip(channels, channels[1:]))]
        self.network = nn.Sequential(*blocks)
        self.head = nn.Linear(channels[-1], 1)

    def forward(self, x):
        return self.head(self.network(x)[:, :, -1])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TCN().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3)
    for _ in range(3):
        x = torch.rand(8, 2, 20, device=device)
        y = x.prod(dim=1).sum(dim=1, keepdim=True)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("adding problem", loss.item())


if __name__ == "__main__":
    main()
