"""Two small LSTM exercises:

 part A - char-level language model, truncated BPTT with the hidden state
          carried over from chunk to chunk (stateful batches)
 part B - classify variable-length "sentences" with packed sequences
"""
import math
import os
import random
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(42)
random.seed(42)
np.random.seed(42)

# ---------------------------------------------------------------- corpus

SUBJECTS = ["the cat", "a dog", "my neighbour", "the old king", "a sailor", "the queen"]
VERBS_POS = ["loves", "admires", "enjoys", "praises"]
VERBS_NEG = ["hates", "fears", "avoids", "blames"]
OBJECTS = ["the sea", "warm bread", "loud music", "the garden", "long winters", "a good story"]
TAILS = ["", " every day", " in the morning", " and never says why", " when it rains"]


def sentence():
    negated = random.random() < 0.3
    positive = random.random() < 0.5
    verb = random.choice(VERBS_POS if positive else VERBS_NEG)
    s = random.choice(SUBJECTS)
    s += (" hardly ever " if negated else " ") + verb + " "
    s += random.choice(OBJECTS) + random.choice(TAILS)
    label = int(positive != negated)
    return s, label


corpus = [sentence() for _ in range(700)]
text = ". ".join(s for s, _ in corpus) + "."

chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
itos = {i: c for c, i in stoi.items()}

# ---------------------------------------------------------------- part A


class CharLSTM(nn.Module):
    def __init__(self, vocab, emb=16, hidden=56, layers=2, dropout=0.1):
        super().__init__()
        self.hidden_size = hidden
        self.num_layers = layers
        self.encoder = nn.Embedding(vocab, emb)
        self.rnn = nn.LSTM(emb, hidden, layers, dropout=dropout)
        self.drop = nn.Dropout(dropout)
        self.decoder = nn.Linear(hidden, vocab)
        self.init_weights()

    def init_weights(self):
        initrange = 0.1
        nn.init.uniform_(self.encoder.weight, -initrange, initrange)
        nn.init.zeros_(self.decoder.bias)
        nn.init.uniform_(self.decoder.weight, -initrange, initrange)
        for name, p in self.rnn.named_parameters():
            if "bias_hh" in name:
                # forget gate bias
                n = p.size(0)
                p.data[n // 4:n // 2].fill_(1.0)

    def forward(self, input, hidden):
        emb = self.drop(self.encoder(input))
        output, hidden = self.rnn(emb, hidden)
        return self.decoder(self.drop(output)), hidden

    def init_hidden(self, bsz):
        return (torch.zeros(self.num_layers, bsz, self.hidden_size),
                torch.zeros(self.num_layers, bsz, self.hidden_size))


def batchify(ids, bsz):
    # (nbatch, bsz), each column is one continuous stream of text
    nbatch = len(ids) // bsz
    return ids[:nbatch * bsz].view(bsz, -1).t().contiguous()


def get_batch(source, i, bptt):
    seq_len = min(bptt, len(source) - 1 - i)
    return source[i:i + seq_len], source[i + 1:i + 1 + seq_len].view(-1)


def repackage_hidden(h):
    """Wraps hidden states in new Tensors, to detach them from their history."""
    if isinstance(h, torch.Tensor):
        return h.detach()
    return tuple(repackage_hidden(v) for v in h)


def lm_evaluate(model, source, criterion, bptt):
    model.eval()
    total = 0.
    hidden = model.init_hidden(source.size(1))
    with torch.no_grad():
        for i in range(0, source.size(0) - 1, bptt):
            data, targets = get_batch(source, i, bptt)
            output, hidden = model(data, hidden)
            total += len(data) * criterion(output.view(-1, output.size(-1)), targets).item()
    return total / (len(source) - 1)


def generate(model, prompt, n, temperature=0.6):
    model.eval()
    hidden = model.init_hidden(1)
    out = prompt
    with torch.no_grad():
        ids = torch.tensor([[stoi[c]] for c in prompt])
        logits, hidden = model(ids, hidden)
        for _ in range(n):
            weights = (logits[-1, 0] / temperature).exp()
            idx = torch.multinomial(weights, 1)[0]
            out += itos[idx.item()]
            logits, hidden = model(idx.view(1, 1), hidden)
    return out


def part_a():
    bsz, bptt, epochs = 20, 20, 3
    data = torch.tensor([stoi[c] for c in text], dtype=torch.long)
    n_val = len(data) // 10
    train_data = batchify(data[:-n_val], bsz)
    val_data = batchify(data[-n_val:], 8)
    model = CharLSTM(len(chars))
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=8e-3)
    best_val = None
    save_dir = tempfile.mkdtemp()
    save = os.path.join(save_dir, "model.pt")
    for epoch in range(1, epochs + 1):
        model.train()
        losses = []
        hidden = model.init_hidden(bsz)
        for i in range(0, train_data.size(0) - 1, bptt):
            x, targets = get_batch(train_data, i, bptt)
            hidden = repackage_hidden(hidden)
            optimizer.zero_grad()
            output, hidden = model(x, hidden)
            loss = criterion(output.view(-1, len(chars)), targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
        val_loss = lm_evaluate(model, val_data, criterion, bptt)
        print("| epoch {:2d} | loss {:5.3f} | valid loss {:5.3f} | bpc {:6.3f}".format(
            epoch, np.mean(losses), val_loss, val_loss / math.log(2)))
        if not best_val or val_loss < best_val:
            with open(save, "wb") as f:
                torch.save(model.state_dict(), f)
            best_val = val_loss
        else:
            for group in optimizer.param_groups:
                group["lr"] /= 4.0
    with open(save, "rb") as f:
        model.load_state_dict(torch.load(f))
    model.rnn.flatten_parameters()
    os.remove(save)
    os.rmdir(save_dir)
    print("sample:", generate(model, "the ", 80))
    return best_val


# ---------------------------------------------------------------- part B

words = ["<pad>", "<unk>"] + sorted({w for s, _ in corpus for w in s.split()})
word2id = {w: i for i, w in enumerate(words)}


class SentenceDataset(Dataset):
    def __init__(self, pairs):
        self.pairs = pairs

    def __len__(self):
        return len(self.pairs)

    def __getitem__(self, i):
        s, label = self.pairs[i]
        return torch.tensor([word2id.get(w, 1) for w in s.split()]), label


def collate(batch):
    batch = sorted(batch, key=lambda b: len(b[0]), reverse=True)
    seqs, labels = zip(*batch)
    lengths = [len(s) for s in seqs]
    return pad_sequence(seqs, batch_first=True, padding_value=0), lengths, torch.tensor(labels)


class SentenceClassifier(nn.Module):
    def __init__(self, vocab, emb=24, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, batch_first=True, bidirectional=True)
        self.att = nn.Linear(2 * hidden, 1)
        self.out = nn.Linear(4 * hidden, 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.emb(x), lengths, batch_first=True)
        h, (hn, _) = self.lstm(packed)
        h, out_lengths = pad_packed_sequence(h, batch_first=True)
        # attention pooling over the real words only
        mask = torch.arange(h.size(1))[None, :] < out_lengths[:, None]
        score = self.att(h).squeeze(2).masked_fill(~mask, float("-inf"))
        alpha = score.softmax(1)
        pooled = torch.bmm(alpha.unsqueeze(1), h).squeeze(1)
        last = torch.cat([hn[0], hn[1]], dim=1)
        return self.out(torch.cat([pooled, last], dim=1)), alpha


def part_b():
    train_dl = DataLoader(SentenceDataset(corpus[:500]), batch_size=25, shuffle=True, collate_fn=collate)
    test_dl = DataLoader(SentenceDataset(corpus[500:]), batch_size=50, collate_fn=collate)
    model = SentenceClassifier(len(words))
    opt = torch.optim.Adam(model.parameters(), lr=4e-3)
    loss_fn = nn.CrossEntropyLoss()
    for epoch in range(5):
        model.train()
        total = 0
        for x, lengths, y in train_dl:
            logits, _ = model(x, lengths)
            loss = loss_fn(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(y)
        print("epoch", epoch, "train loss %.4f" % (total / len(train_dl.dataset)))

    model.eval()
    y_true, y_prob = [], []
    with torch.no_grad():
        for x, lengths, y in test_dl:
            logits, alpha = model(x, lengths)
            y_true += y.tolist()
            y_prob += logits.softmax(1)[:, 1].tolist()
        x, lengths, y = collate([SentenceDataset(corpus)[0]])
        _, alpha = model(x, lengths)
    top = words[x[0, alpha[0].argmax()]]
    y_true, y_prob = np.array(y_true), np.array(y_prob)
    acc = ((y_prob > 0.5) == y_true).mean()
    # AUC by ranks
    order = y_prob.argsort(kind="stable")
    ranks = np.empty(len(order))
    ranks[order] = np.arange(1, len(order) + 1)
    n1 = y_true.sum()
    auc = (ranks[y_true == 1].sum() - n1 * (n1 + 1) / 2) / (n1 * (len(y_true) - n1))
    print("most attended word of %r: %s" % (corpus[0][0], top))
    return acc, auc


if __name__ == "__main__":
    print("corpus: %d chars, %d distinct, %d words" % (len(text), len(chars), len(words)))
    val = part_a()
    acc, auc = part_b()
    print("char LM  valid loss %.4f  perplexity %.4f" % (val, math.exp(val)))
    print("sentence classifier  accuracy %.4f  auc %.4f" % (acc, auc))
