"""What torch declares about its own ops: which of them check that their arguments share a device, and how.

The source is `native_functions.yaml`, which every torch wheel carries (torchgen/packaged/ATen/native). It is read
once, when two devices first meet; the ops a program runs on one device never need it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Declaration:
    """One `- func:` entry.

    `iterator`: a TensorIterator checks the devices, a 0-dim CPU tensor may take part.
    `checked`: the generated CUDA wrapper compares the device of every argument; `method` is its name in the message.
    """

    iterator: bool
    checked: bool
    method: str


_FUNCTION = re.compile(r"([\w.]+)\(")
_CUDA_KERNEL = re.compile(r"^    [\w, ]*\bCUDA\b[\w, ]*:", re.M)
_STRUCTURED = re.compile(r"^  structured(_delegate)?:", re.M)
_UNCHECKED = re.compile(r"^  device_check: NoCheck", re.M)
_ITERATOR = re.compile(
    r"^  device_check: NoCheck +# (TensorIterator|delegate)|structured_inherits: TensorIteratorBase", re.M
)


@cache
def declarations() -> dict[str, Declaration]:
    """By schema name, `add.Tensor` or `mm`; empty where the file is missing (the callers then check strictly)."""
    path = _file()
    if path is None:
        return {}
    entries = path.read_text(encoding="utf-8").split("\n- func: ")[1:]
    return {name: _declaration(name, entry) for entry in entries if (name := _name(entry))}


def _file() -> Path | None:
    spec = find_spec("torchgen")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "packaged" / "ATen" / "native" / "native_functions.yaml"
    return path if path.exists() else None


def _name(entry: str) -> str:
    found = _FUNCTION.match(entry)
    return found[1] if found else ""


def _declaration(name: str, entry: str) -> Declaration:
    structured = _STRUCTURED.search(entry) is not None
    unchecked = _UNCHECKED.search(entry) is not None
    return Declaration(
        iterator=_ITERATOR.search(entry) is not None,
        checked=not unchecked and (structured or _CUDA_KERNEL.search(entry) is not None),
        method=_method(name, structured),
    )


def _method(name: str, structured: bool) -> str:
    """The wrapper's name, as torchgen makes it (torchgen/dest/register_dispatch_key.py, gen_unstructured)."""
    base, _, overload = name.partition(".")
    if not structured:
        return f"wrapper_CUDA_{overload}_{base}"
    out = overload.endswith("out")
    return f"wrapper_CUDA_{base}" + ("_out" if out else "") + (f"_{overload}" if overload else "")
