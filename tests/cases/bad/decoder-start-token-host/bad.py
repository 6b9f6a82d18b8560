import torch
from torch import nn

SOS, EOS = 1, 2


class CaptionDecoder(nn.Module):
    def __init__(self, feature_dim, vocab, hidden):
        super().__init__()
        self.init_h = nn.Linear(feature_dim, hidden)
        self.embed = nn.Embedding(vocab, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, features, max_len=8):
        h = torch.tanh(self.init_h(features))
        word = torch.full((features.size(0),), SOS, dtype=torch.long)
        logits = []
        for _ in range(max_len):
            h = self.cell(self.embed(word), h)
            step = self.out(h)
            logits.append(step)
            word = step.argmax(dim=-1)
        return torch.stack(logits, dim=1)


class Captioner(nn.Module):
    def __init__(self):
        super().__init__()
        self.cnn = nn.Sequential(nn.Conv2d(3, 4, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.decoder = CaptionDecoder(16, 40, 12)

    def forward(self, images):
        return self.decoder(self.cnn(images))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Captioner().eval().to(device)
with torch.no_grad():
    image = torch.rand(2, 3, 16, 16).to(device)
    words = model(image).argmax(-1).tolist()
for sentence in words:
    print([w for w in sentence if w != EOS])
