"""Write devlint/analysis/cuda_api_table.py: which function of torch.cuda stops without CUDA, and what its twin is.

    python benchmarks/accelerator_table.py [WHEEL ...]

What stops is measured on the installed torch, which must be a build without CUDA: each function is called in this
process. When a twin came is read from the wheels, which need not fit this machine; the installed torch is one more:

    pip download torch==2.6.0 --no-deps --only-binary=:all: --python-version 3.11 --platform macosx_11_0_arm64
"""

from __future__ import annotations

import ast
import re
import sys
import warnings
import zipfile
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

TABLE = Path(__file__).resolve().parent.parent / "devlint" / "analysis" / "cuda_api_table.py"

OTHER_NAMES = {
    "current_device": "current_device_index",
    "set_device": "set_device_index",
    "device": "device_index",
    "mem_get_info": "get_memory_info",
}
"""Twins that are called otherwise in torch.accelerator."""

TORCH_TWINS = {"Event": "Event", "Stream": "Stream"}
"""Classes of torch itself that stand for those of torch.cuda."""

PORTABLE = frozenset("is_available device_count manual_seed manual_seed_all is_initialized".split())
"""Questions that any program may ask, and seeds that other devices ignore."""

HEADER = '''"""Functions of `torch.cuda` by what becomes of them without CUDA, and their twins for any accelerator.

Written by benchmarks/accelerator_table.py with torch {installed} (without CUDA) and the wheels of
{wheels}; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CudaApi:
    """error: how a call ends without CUDA; empty where it does nothing. twin: dotted, since a version of torch."""

    error: str
    twin: str = ""
    since: tuple[int, int] = (0, 0)


CUDA_APIS: dict[str, CudaApi] = {{
'''


def main() -> None:
    """Measure, read, write."""
    import torch

    if torch.backends.cuda.is_built():  # type: ignore[no-untyped-call]
        sys.exit("this torch has CUDA: the table says what happens without it")
    installed = version("torch").partition("+")[0]
    wheels = {_version_of(Path(path).name): _names_in_wheel(Path(path)) for path in sys.argv[1:]}
    wheels.setdefault(_pair(installed), _names_installed(Path(torch.__file__).parent))
    since: dict[str, tuple[int, int]] = {}
    for found in sorted(wheels):
        for name in wheels[found]:
            since.setdefault(name, found)
    lines: list[str] = []
    for name, error in sorted(_measured(torch).items()):
        twin = _twin(name, since)
        if not error and not twin:
            continue
        parts = [_quoted(error)]
        if twin:
            parts += [_quoted(twin), repr(since[twin])]
        lines.append(_entry(name, parts))
    first, last = (".".join(map(str, pick(wheels))) for pick in (min, max))
    versions = f"{first} to {last}"
    TABLE.write_text(HEADER.format(installed=installed, wheels=versions) + "".join(lines) + "}\n", encoding="utf-8")


def _entry(name: str, parts: list[str]) -> str:
    line = f"    {_quoted(name)}: CudaApi({', '.join(parts)}),\n"
    if len(line) <= 121:
        return line
    inner = "".join(f"        {part},\n" for part in parts)
    return f"    {_quoted(name)}: CudaApi(\n{inner}    ),\n"


def _quoted(text: str) -> str:
    quoted = repr(text)
    return '"' + quoted[1:-1] + '"' if quoted[0] == "'" and '"' not in text else quoted


def _twin(name: str, since: dict[str, tuple[int, int]]) -> str:
    if name in TORCH_TWINS:
        return f"torch.{TORCH_TWINS[name]}"
    twin = f"torch.accelerator.{OTHER_NAMES.get(name, name)}"
    return twin if twin in since else ""


# -- what stops without CUDA --------------------------------------------------------------------------------------


def _measured(torch: Any) -> dict[str, str]:
    """Each public function and class of torch.cuda, with the error of a call; empty where it does nothing."""
    calls: dict[str, Callable[[], object]] = {}
    for name in sorted(torch.cuda.__all__):
        thing = getattr(torch.cuda, name, None)
        if callable(thing) and name not in PORTABLE and not name.endswith(("Tensor", "Storage", "Error")):
            calls[name] = _call(thing, name)
    for name in ("range_push", "range_pop", "mark", "range"):
        calls[f"nvtx.{name}"] = _call(getattr(torch.cuda.nvtx, name), name)
    return {name: error for name, call in calls.items() if (error := _error_of(call)) is not None}


def _call(thing: Any, name: str) -> Callable[[], object]:
    arguments: dict[str, tuple[object, ...]] = {
        "set_device": (0,),
        "device": (0,),
        "get_device_properties": (0,),
        "set_per_process_memory_fraction": (0.5,),
        "range_push": ("here",),
        "range": ("here",),
        "mark": ("here",),
    }

    def call() -> object:
        made = thing(*arguments.get(name, ()))
        if name in {"device", "range"}:
            with made:
                pass
        return made

    return call


def _error_of(call: Callable[[], object]) -> str | None:
    """The first sentence of the error that a call raises; None where it was called wrongly."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
    except TypeError:
        return None
    except ImportError:
        return None
    except Exception as error:
        first = re.split(r"(?<=[.!?])\s", str(error).strip().partition("\n")[0])[0]
        return f"{type(error).__name__}: {first}"
    return ""


# -- when a twin came ---------------------------------------------------------------------------------------------


def _names_in_wheel(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as files:
        held = {name for name in files.namelist() if name.endswith(("accelerator/__init__.py", "_C/__init__.pyi"))}
        return _names(*(files.read(f"torch/{name}").decode() if f"torch/{name}" in held else "" for name in _SOURCES))


def _names_installed(folder: Path) -> set[str]:
    return _names(*((folder / name).read_text(encoding="utf-8") for name in _SOURCES))


_SOURCES = ("accelerator/__init__.py", "_C/__init__.pyi")


def _names(accelerator: str, stubs: str) -> set[str]:
    """The public names of torch.accelerator, and the classes of torch that are twins."""
    found: set[str] = set()
    for statement in ast.parse(accelerator).body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in statement.targets
        ):
            found |= {f"torch.accelerator.{name}" for name in ast.literal_eval(statement.value)}
    found |= {f"torch.{name}" for name in TORCH_TWINS.values() if re.search(rf"^class {name}\b", stubs, re.MULTILINE)}
    return found


def _version_of(wheel: str) -> tuple[int, int]:
    return _pair(wheel.split("-")[1])


def _pair(text: str) -> tuple[int, int]:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


if __name__ == "__main__":
    main()
