import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.width = width
        self.cell = nn.LSTM(4, width, batch_first=True)

    def start(self, rows):
        state = torch.zeros(1, rows, self.width), torch.zeros(1, rows, self.width)
        return state

    def forward(self, x, state):
        return self.cell(x, state)[0]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger().to(device)
words = torch.randn(2, 5, 4, device=device)
try:
    state = tagger.start(2).to(device)
    print(tagger(words, state).shape)
except AttributeError as error:
    print("stopped:", error)
