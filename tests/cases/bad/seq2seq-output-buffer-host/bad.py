import random

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hid)

    def forward(self, src):
        _, hidden = self.rnn(self.embedding(src))
        return hidden


class Decoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.output_dim = vocab
        self.embedding = nn.Embedding(vocab, emb)
        self.rnn = nn.GRU(emb, hid)
        self.fc_out = nn.Linear(hid, vocab)

    def forward(self, token, hidden):
        output, hidden = self.rnn(self.embedding(token.unsqueeze(0)), hidden)
        return self.fc_out(output.squeeze(0)), hidden


class Seq2Seq(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(self, src, trg, teacher_forcing_ratio=0.5):
        trg_len, batch_size = trg.shape
        outputs = torch.zeros(trg_len, batch_size, self.decoder.output_dim)
        hidden = self.encoder(src)
        token = trg[0]
        for t in range(1, trg_len):
            output, hidden = self.decoder(token, hidden)
            outputs[t] = output
            token = trg[t] if random.random() < teacher_forcing_ratio else output.argmax(1)
        return outputs


def train(model, iterator, optimizer, criterion, device):
    model.train()
    epoch_loss = 0
    for src, trg in iterator:
        src, trg = src.t().to(device), trg.t().to(device)
        optimizer.zero_grad()
        output = model(src, trg)
        loss = criterion(output[1:].reshape(-1, output.shape[-1]), trg[1:].reshape(-1))
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    return epoch_loss / len(iterator)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Seq2Seq(Encoder(20, 8, 16), Decoder(22, 8, 16)).to(device)
pairs = TensorDataset(torch.randint(0, 20, (16, 6)), torch.randint(0, 22, (16, 5)))
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss(ignore_index=1)
print(train(model, DataLoader(pairs, batch_size=8), optimizer, criterion, device))
