"""python train.py [--model cnn|lstm|both] [--epochs N] [--verbose]"""
import argparse
import dataclasses
import tempfile
from pathlib import Path

from textcls import TrainConfig, Trainer, build_model, evaluate
from textcls.data import get_loaders
from textcls.utils import get_logger, load_checkpoint, set_seed


def parse_args():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="both", choices=["cnn", "lstm", "both"])
    p.add_argument("--epochs", type=int)
    p.add_argument("--verbose", action="store_true")
    return p.parse_args()


def run(kind, cfg, out_dir, logger):
    set_seed(cfg.seed)
    cfg = dataclasses.replace(cfg, model=dataclasses.replace(cfg.model, kind=kind))
    loaders, vocab = get_loaders(cfg.data, cfg.seed, cfg.batch_size)
    model = build_model(cfg.model, len(vocab), cfg.data.n_classes)
    n_params = sum(p.numel() for p in model.parameters())
    logger.info("%s: %d parameters, vocabulary %d", kind, n_params, len(vocab))
    path = out_dir / f"{kind}.pt"
    Trainer(model, loaders, cfg, path, logger).fit()

    # the best model, rebuilt from the file alone
    ckpt = load_checkpoint(path)
    cfg = TrainConfig.from_dict(ckpt["config"])
    best = build_model(cfg.model, len(vocab), cfg.data.n_classes)
    best.load_state_dict(ckpt["model"])
    result = evaluate(best, loaders["test"], cfg.data.n_classes)
    result["epoch"] = ckpt["epoch"]
    return result


def main():
    args = parse_args()
    cfg = TrainConfig()
    if args.epochs:
        cfg.epochs = args.epochs
    logger = get_logger(verbose=args.verbose)
    kinds = ["cnn", "lstm"] if args.model == "both" else [args.model]
    with tempfile.TemporaryDirectory() as tmp:
        results = {kind: run(kind, cfg, Path(tmp), logger) for kind in kinds}
    for kind, r in results.items():
        print(f"{kind:>5}: best epoch {r['epoch']}  test loss {r['loss']:.4f}  acc {r['acc']:.4f}  f1 {r['f1']:.4f}")


if __name__ == "__main__":
    main()
