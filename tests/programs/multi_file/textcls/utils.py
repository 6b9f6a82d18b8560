import logging
import random
import sys

import numpy as np
import torch


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


def get_logger(name="textcls", verbose=False):
    logger = logging.getLogger(name)
    if not logger.handlers:
        h = logging.StreamHandler(sys.stdout)
        h.setFormatter(logging.Formatter("[%(name)s] %(message)s"))
        logger.addHandler(h)
    logger.setLevel(logging.DEBUG if verbose else logging.INFO)
    return logger


class MovingAverage:
    def __init__(self, beta=0.9):
        self.beta, self.v, self.t = beta, 0.0, 0

    def add(self, x):
        self.t += 1
        self.v = self.beta * self.v + (1 - self.beta) * x

    @property
    def value(self):
        return self.v / (1 - self.beta ** self.t) if self.t else float("nan")


class Metrics:
    """accuracy and macro F1 out of a numpy confusion matrix (rows = truth)"""

    def __init__(self, n_classes):
        self.cm = np.zeros((n_classes, n_classes), dtype=np.int64)

    def add(self, truth, pred):
        np.add.at(self.cm, (truth, pred), 1)

    def summary(self):
        tp = np.diag(self.cm)
        f1 = 2 * tp / np.maximum(self.cm.sum(0) + self.cm.sum(1), 1)
        return {"acc": float(tp.sum() / self.cm.sum()), "f1": float(f1.mean())}


def save_checkpoint(path, model, optimizer, **extra):
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), **extra}, path)


def load_checkpoint(path):
    return torch.load(path)
