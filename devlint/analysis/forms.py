"""What a loader's batches are made of: lists, dicts, and the parts of them that are no tensors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from devlint.analysis.syntax import NOT_LITERAL
from devlint.analysis.values import (
    SCALAR,
    TEXT,
    Array,
    Batch,
    Const,
    Dataset,
    Form,
    Items,
    Scalar,
    Table,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments


def form_of_batches(dataset: Value | None, sample: Value | None) -> Form | None:
    """What torch's own collate function makes of a sample: tuples become lists, strings become lists of strings.

    https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate
    """
    match sample:
        case None:
            return Form("list") if isinstance(dataset, Dataset) else None
        case Items(items=tuple(items), names=()) if items:
            return _form("list", enumerate(items), collated=False)
        case Table(entries=dict(entries)) if entries:
            return _form("dict", entries.items(), collated=False)
        case _:
            return None


def form_of_collated(result: Value) -> Form | None:
    """What a collate function put out."""
    match result:
        case Items(items=None, element=Items(names=())):
            return Form("columns", sure=False)
        case Items(items=tuple(items), names=()) if items:
            return _form("sequence", enumerate(items), collated=True)
        case Table(entries=dict(entries)) if entries and not isinstance(result.element, Batch):
            return _form("dict", entries.items(), collated=True)
        case _:
            return None


def _form(kind: str, parts: Iterable[tuple[object, Value]], *, collated: bool) -> Form:
    still: list[tuple[object, str]] = []
    sure = True
    for key, value in parts:
        match value:
            case Const(value=str()) | Scalar(text=True):
                still.append((key, "str" if collated else "list"))
            case Const(value=bool() | int() | float() as number) if collated:
                still.append((key, type(number).__name__))
            case Scalar() if collated:
                still.append((key, "number"))
            case Items(names=()) if collated:
                still.append((key, "list"))
            case Table() if collated and not isinstance(value.element, Batch):
                still.append((key, "dict"))
            case Tensor() | Batch():
                pass
            case Const(value=bool() | int() | float()) | Array():
                sure = sure and not collated
            case _:
                sure = False
    return Form(kind, tuple(still), sure)


def still_part(owner: Batch, key: object) -> Value | None:
    """A part of a batch that is known to be no tensor."""
    if owner.form is None or owner.form.kind == "part" or key is NOT_LITERAL:
        return None
    match dict(owner.form.still).get(key):
        case "list":
            return Items(TEXT)
        case "dict":
            return Table(SCALAR)
        case None:
            return None
        case _:
            return SCALAR


def any_part(owner: Batch, key: object = NOT_LITERAL) -> Form | None:
    """The form of a part got in a loop over all of them, where some part has no `.to`."""
    if owner.form is None or owner.form.kind == "part" or key is not NOT_LITERAL or not owner.form.still:
        return None
    return Form("part", owner.form.still)


def is_none(arguments: Arguments, keyword: str) -> bool:
    """Whether a keyword argument is the literal `None`."""
    return any(a.keyword == keyword and isinstance(a.value, Const) and a.value.value is None for a in arguments)
