"""Synthetic token sequences. Each class plants a few of its own bigrams in a random text."""
import random

import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler

PAD, UNK = 0, 1


class TextDataset(Dataset):
    def __init__(self, texts, labels, vocab):
        self.vocab = vocab
        self.ids = [[vocab.get(w, UNK) for w in t] for t in texts]
        self.labels = labels

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.tensor(self.ids[i]), self.labels[i]


class BucketSampler(Sampler):
    """Batches of texts of similar length, in random order."""

    def __init__(self, lengths, batch_size):
        self.lengths = lengths
        self.batch_size = batch_size

    def __iter__(self):
        noise = torch.rand(len(self.lengths)) * 3
        order = torch.argsort(torch.tensor(self.lengths) + noise).tolist()
        batches = [order[i:i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        for j in torch.randperm(len(batches)):
            yield batches[j]

    def __len__(self):
        return (len(self.lengths) + self.batch_size - 1) // self.batch_size


def collate(batch):
    """-> (tokens [B, T], lengths [B]), labels [B]"""
    seqs, labels = zip(*batch)
    lengths = torch.tensor([len(s) for s in seqs])
    tokens = pad_sequence(seqs, batch_first=True, padding_value=PAD)
    return (tokens, lengths), torch.tensor(labels)


def _generate(cfg, n, bigrams, rng):
    words = [f"w{i}" for i in range(cfg.vocab_size)]
    texts, labels = [], []
    for _ in range(n):
        label = rng.randrange(cfg.n_classes)
        text = [rng.choice(words) for _ in range(rng.randint(cfg.min_len, cfg.max_len))]
        for _ in range(2):
            pos = rng.randrange(len(text) - 1)
            text[pos:pos + 2] = rng.choice(bigrams[label])
        if rng.random() < 0.05:
            label = rng.randrange(cfg.n_classes)
        texts.append(text)
        labels.append(label)
    return texts, labels


def build_vocab(texts, min_freq=2):
    counts = {}
    for t in texts:
        for w in t:
            counts[w] = counts.get(w, 0) + 1
    vocab = {"<pad>": PAD, "<unk>": UNK}
    for w in sorted(counts):
        if counts[w] >= min_freq:
            vocab[w] = len(vocab)
    return vocab


def get_loaders(cfg, seed, batch_size):
    rng = random.Random(seed)
    bigrams = [[[f"w{rng.randrange(40)}", f"w{rng.randrange(40)}"] for _ in range(4)] for _ in range(cfg.n_classes)]
    raw = {name: _generate(cfg, n, bigrams, rng)
           for name, n in (("train", cfg.n_train), ("valid", cfg.n_valid), ("test", cfg.n_test))}
    vocab = build_vocab(raw["train"][0])
    loaders = {}
    for name, (texts, labels) in raw.items():
        ds = TextDataset(texts, labels, vocab)
        if name == "train":
            sampler = BucketSampler([len(t) for t in texts], batch_size)
            loaders[name] = DataLoader(ds, batch_sampler=sampler, collate_fn=collate, num_workers=0)
        else:
            loaders[name] = DataLoader(ds, batch_size=128, collate_fn=collate, num_workers=0)
    return loaders, vocab
