import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, words, width, longest):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(longest, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, tokens):
        places = torch.arange(tokens.size(1)).unsqueeze(0).expand_as(tokens)
        return self.norm(self.words(tokens) + self.places(places))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = Encoder(40, 8, 16).to(device)
print(encoder(torch.randint(0, 40, (2, 7), device=device)).shape)
