import torch
import torch.nn as nn

from .utils import Metrics, MovingAverage, save_checkpoint


@torch.no_grad()
def evaluate(model, loader, n_classes):
    model.eval()
    metrics = Metrics(n_classes)
    loss = 0.0
    for (tokens, lengths), labels in loader:
        logits = model(tokens, lengths)
        loss += nn.functional.cross_entropy(logits, labels, reduction="sum").item()
        metrics.add(labels.numpy(), logits.argmax(dim=1).numpy())
    return {"loss": loss / len(loader.dataset), **metrics.summary()}


class Trainer:
    def __init__(self, model, loaders, cfg, ckpt_path, logger):
        self.model = model
        self.loaders = loaders
        self.cfg = cfg
        self.ckpt_path = ckpt_path
        self.log = logger
        self.criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr, weight_decay=cfg.weight_decay)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(self.optimizer, T_max=cfg.epochs)
        self.best = 0.0
        self.global_step = 0

    def train_epoch(self, epoch):
        self.model.train()
        avg = MovingAverage()
        for inputs, labels in self.loaders["train"]:
            loss = self.criterion(self.model(*inputs), labels)
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.cfg.clip)
            self.optimizer.step()
            avg.add(loss.item())
            self.global_step += 1
            if self.global_step % self.cfg.log_every == 0:
                self.log.debug("step %d loss %.4f", self.global_step, avg.value)
        self.scheduler.step()
        return avg.value

    def fit(self):
        for epoch in range(1, self.cfg.epochs + 1):
            train_loss = self.train_epoch(epoch)
            res = evaluate(self.model, self.loaders["valid"], self.cfg.data.n_classes)
            self.log.info("epoch %d  train %.4f  valid loss %.4f  acc %.4f  f1 %.4f",
                          epoch, train_loss, res["loss"], res["acc"], res["f1"])
            if res["f1"] > self.best:
                self.best = res["f1"]
                save_checkpoint(self.ckpt_path, model=self.model, optimizer=self.optimizer,
                                epoch=epoch, f1=res["f1"], config=self.cfg.to_dict())
        return self.best
