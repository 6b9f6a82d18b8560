import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence

from .data import PAD

_REGISTRY = {}


def register(name):
    def wrap(cls):
        _REGISTRY[name] = cls
        return cls
    return wrap


@register("cnn")
class TextCNN(nn.Module):
    def __init__(self, cfg, vocab_size, n_classes):
        super().__init__()
        self.kernel_sizes = cfg.kernel_sizes
        self.emb = nn.Embedding(vocab_size, cfg.emb_dim, padding_idx=PAD)
        self.convs = nn.ModuleList([nn.Conv1d(cfg.emb_dim, cfg.hidden, k) for k in cfg.kernel_sizes])
        self.dropout = nn.Dropout(cfg.dropout)
        self.out = nn.Linear(cfg.hidden * len(cfg.kernel_sizes), n_classes)

    def forward(self, tokens, lengths):
        x = self.emb(tokens).transpose(1, 2)
        pooled = []
        for k, conv in zip(self.kernel_sizes, self.convs):
            h = F.relu(conv(x))
            valid = torch.arange(h.size(2))[None, :] < (lengths - k + 1).clamp(min=1)[:, None]
            h = h.masked_fill(~valid[:, None, :], 0.0)
            pooled.append(h.max(dim=2).values)
        return self.out(self.dropout(torch.cat(pooled, dim=1)))


@register("lstm")
class TextLSTM(nn.Module):
    def __init__(self, cfg, vocab_size, n_classes):
        super().__init__()
        self.emb = nn.Embedding(vocab_size, cfg.emb_dim, padding_idx=PAD)
        self.rnn = nn.LSTM(cfg.emb_dim, cfg.hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(cfg.dropout)
        self.out = nn.Linear(2 * cfg.hidden, n_classes)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.rnn(packed)
        return self.out(self.dropout(torch.cat([h[0], h[1]], dim=1)))


def build_model(cfg, vocab_size, n_classes):
    return _REGISTRY[cfg.kind](cfg, vocab_size, n_classes)
