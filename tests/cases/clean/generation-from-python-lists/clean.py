import torch
import torch.nn as nn


class Step(nn.Module):
    def __init__(self, vocab=15, dim=10):
        super().__init__()
        self.embedding = nn.Embedding(vocab, dim)
        self.gru = nn.GRU(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, token, hidden=None):
        output, hidden = self.gru(self.embedding(token).view(1, 1, -1), hidden)
        return self.out(output[0]), hidden


@torch.no_grad()
def beam_search(model, start, width, length):
    device = next(model.parameters()).device
    beams = [([start], 0.0, None)]
    for _ in range(length):
        candidates = []
        for tokens, score, hidden in beams:
            logits, h = model(torch.tensor(tokens[-1], device=device), hidden)
            top = logits.log_softmax(-1).squeeze(0).topk(width)
            for value, index in zip(top.values.tolist(), top.indices.tolist()):
                candidates.append((tokens + [index], score + value, h))
        beams = sorted(candidates, key=lambda c: c[1], reverse=True)[:width]
    best = torch.tensor([b[1] for b in beams])
    return beams[int(best.argmax())][0]


model = Step().eval().to(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
print(beam_search(model, start=0, width=3, length=6))
