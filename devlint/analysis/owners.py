"""Frameworks that place tensors and modules themselves: what they own, the placement rules leave alone."""

from __future__ import annotations

OWNER_PACKAGES = frozenset(
    """lightning pytorch_lightning lightning_fabric accelerate ignite fastai skorch catalyst composer deepspeed
    torchtnt determined ray colossalai""".split()
)
"""Top-level packages that own the placement of whatever is handed to them."""

OWNER_CLASSES = frozenset(
    """LightningModule LightningDataModule Fabric Accelerator Learner Runner SupervisedRunner NeuralNetClassifier
    NeuralNetRegressor NeuralNet Composer ComposerModel Seq2SeqTrainer SFTTrainer DPOTrainer""".split()
)
"""Class names that are owners wherever they come from."""

OWNER_EXTERNALS = (
    "transformers.Trainer",
    "transformers.Seq2SeqTrainer",
    "trl.",
    "speechbrain.core.Brain",
    "speechbrain.Brain",
)


def owns(name: str) -> bool:
    """Whether a dotted external name belongs to a framework that places things itself."""
    head, _, _ = name.partition(".")
    last = name.rpartition(".")[2]
    return head in OWNER_PACKAGES or last in OWNER_CLASSES or name.startswith(OWNER_EXTERNALS)
