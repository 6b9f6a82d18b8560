import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words, tags, device):
        super().__init__()
        self.device = device
        self.embed = nn.Embedding(words, 8)
        self.out = nn.Linear(8, tags)

    def forward(self, tokens):
        tokens = tokens.to(self.device)
        hidden = self.embed(tokens)
        start = torch.zeros(tokens.size(0), 1, hidden.size(2), device=tokens.device)
        return self.out(torch.cat([start, hidden], dim=1))


if __name__ == "__main__":
    device = torch.device("cuda", 0) if torch.cuda.is_available() else torch.device("cpu")
    model = nn.DataParallel(Tagger(30, 5, device).to(device))
    print(model(torch.randint(0, 30, (4, 6)).to(device)).shape)
