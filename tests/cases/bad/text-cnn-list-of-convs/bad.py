import torch
import torch.nn as nn
import torch.nn.functional as F


class CNNText(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.args = args
        self.embed = nn.Embedding(args["vocab"], args["dim"])
        self.convs1 = [nn.Conv2d(1, args["kernel_num"], (k, args["dim"])) for k in args["kernel_sizes"]]
        self.dropout = nn.Dropout(0.5)
        self.fc1 = nn.Linear(len(args["kernel_sizes"]) * args["kernel_num"], args["classes"])

    def forward(self, x):
        x = self.embed(x).unsqueeze(1)
        x = [F.relu(conv(x)).squeeze(3) for conv in self.convs1]
        x = [F.max_pool1d(i, i.size(2)).squeeze(2) for i in x]
        return self.fc1(self.dropout(torch.cat(x, 1)))


def train(model, device, steps):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for step in range(1, steps + 1):
        feature = torch.randint(0, 30, (6, 10)).to(device)
        target = torch.randint(0, 2, (6,)).to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(feature), target)
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    args = dict(vocab=30, dim=8, classes=2, kernel_num=3, kernel_sizes=[2, 3, 4])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cnn = CNNText(args).to(device)
    print(train(cnn, device, 3))
