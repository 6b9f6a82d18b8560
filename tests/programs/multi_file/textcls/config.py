from dataclasses import asdict, dataclass, field, fields
from typing import Tuple


@dataclass
class DataConfig:
    n_train: int = 640
    n_valid: int = 160
    n_test: int = 300
    min_len: int = 6
    max_len: int = 18
    vocab_size: int = 200
    n_classes: int = 4


@dataclass
class ModelConfig:
    kind: str = "cnn"           # "cnn" | "lstm"
    emb_dim: int = 32
    hidden: int = 48
    kernel_sizes: Tuple[int, ...] = (2, 3, 4)
    dropout: float = 0.2


@dataclass
class TrainConfig:
    seed: int = 31
    epochs: int = 3
    batch_size: int = 32
    lr: float = 4e-3
    weight_decay: float = 1e-4
    clip: float = 1.0
    log_every: int = 10
    data: DataConfig = field(default_factory=DataConfig)
    model: ModelConfig = field(default_factory=ModelConfig)

    def to_dict(self):
        return asdict(self)

    @classmethod
    def from_dict(cls, d):
        d = dict(d)
        data = DataConfig(**d.pop("data", {}))
        model = ModelConfig(**d.pop("model", {}))
        known = {f.name for f in fields(cls)}
        return cls(data=data, model=model, **{k: v for k, v in d.items() if k in known})
