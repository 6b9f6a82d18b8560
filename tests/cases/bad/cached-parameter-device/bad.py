import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, vocab=12, dim=6):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.device = next(self.parameters()).device
        self.cell = nn.GRUCell(dim, dim)

    def forward(self, tokens):
        state = torch.zeros(tokens.size(0), 6, device=self.device)
        for column in self.embed(tokens).unbind(1):
            state = self.cell(column, state)
        return state


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
decoder = Decoder().to(device)
print(decoder(torch.randint(0, 12, (3, 4), device=device)).shape)
