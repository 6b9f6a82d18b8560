from .config import TrainConfig
from .engine import Trainer, evaluate
from .model import build_model

__all__ = ["TrainConfig", "Trainer", "evaluate", "build_model"]
