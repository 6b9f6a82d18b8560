"""devlint reads PyTorch code and finds the places where a tensor or a model is on the wrong device."""

__version__ = "0.1.0"
