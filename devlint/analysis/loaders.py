"""Datasets and loaders: where their samples and batches are, and what these are made of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.binding import as_from_loop, part_of
from devlint.analysis.calls import Argument, Arguments, call_function, call_value, keyword_value
from devlint.analysis.forms import form_of_batches, form_of_collated, is_none
from devlint.analysis.handlers import external
from devlint.analysis.placement import HOST, UNKNOWN, Placement, Where, join
from devlint.analysis.syntax import dotted
from devlint.analysis.values import (
    SCALAR,
    UNKNOWN_VALUE,
    Batch,
    Class,
    Const,
    Dataset,
    External,
    Form,
    Function,
    Instance,
    Items,
    Loader,
    Table,
    Tensor,
    Value,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


@external("torch.utils.data.TensorDataset")
def _tensor_dataset(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    values: list[Value] = []
    for argument in arguments:
        if argument.star:
            values.append(part_of(argument.value, 0))
        else:
            values.append(argument.value)
    for value in values:
        run.meetings.put_in_loader(value)
    place = HOST
    for index, value in enumerate(values):
        here = placement_of(value)
        place = here if index == 0 else join(place, here)
    return Dataset(place if values else HOST, tensors=tuple(values))


@external("torch.utils.data.Subset", "torch.utils.data.ConcatDataset")
def _subset(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    value = arguments[0].value if arguments else UNKNOWN_VALUE
    return value if isinstance(value, Dataset | Instance) else UNKNOWN_VALUE


@external("torch.utils.data.random_split")
def _split(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return Items(_subset(run, name, node, arguments))


@external("torch.utils.data.DataLoader", "torch_geometric.loader.DataLoader", "torch_geometric.data.DataLoader")
def _data_loader(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return loader_of(run, arguments, plain=name.startswith("torch.utils."))


def loader_of(run: Interpreter, arguments: Arguments, plain: bool = False) -> Value:
    """A loader: its batches are on the host unless its samples, or its collate function, say otherwise.

    plain: it is torch's own, so that what its samples are tells what its batches are.
    """
    with run.meetings.transfers.workers.loading(arguments):
        return _loader_of(run, arguments, plain)


def _loader_of(run: Interpreter, arguments: Arguments, plain: bool) -> Value:
    dataset = keyword_value(arguments, "dataset", 0)
    place, sample = sample_of(run, dataset.value if dataset is not None else UNKNOWN_VALUE, dataset)
    run.meetings.transfers.workers.reads(dataset, place)
    if dataset is not None:
        run.meetings.put_in_loader(dataset.value)
    collate = keyword_value(arguments, "collate_fn")
    form = form_of_batches(dataset.value if dataset is not None else None, sample)
    opaque = False
    if collate is not None and not (isinstance(collate.value, Const) and collate.value.value is None):
        node = collate.node
        if isinstance(collate.value, Function | Class | Instance):
            result = call_value(run, collate.value, node, [Argument(Items(sample or Batch(place)), node)])
            opaque = not _all_tensors(result)
            form = form_of_collated(result)
            here = placement_of(result)
            if isinstance(result, Table) and result.entries:
                here = join_places([placement_of(v) for v in result.entries.values()])
            place = here if here.where in (Where.DEVICE, Where.HOST) else HOST
            if here.where is Where.UNKNOWN and _moves_anything(run, collate.value):
                place = UNKNOWN
        elif re.search(r"device|cuda|gpu", dotted(node) or "", re.IGNORECASE):
            place = UNKNOWN
        else:
            opaque = True
    if (
        not plain
        or (opaque and not isinstance(collate and collate.value, Function))
        or is_none(arguments, "batch_size")
    ):
        form = None
    elif form is None and collate is None and sample is None:
        form = Form("collated", sure=False)
    return Loader(place, opaque=opaque, form=form, dataset=dataset.value if dataset is not None else None)


def sample_at(run: Interpreter, dataset: Value, node: cst.BaseExpression) -> Value:
    """`dataset[i]`: one sample, that is where the dataset makes it, as a loop over the dataset would give it."""
    place, sample = sample_of(run, dataset, Argument(dataset, node))
    if place.on_device or place.where is Where.UNKNOWN:
        return sample or Batch(place)
    return as_from_loop(run, Batch(place, form=form_of_collated(sample) if sample is not None else None), node)


def is_dataset(value: Value) -> bool:
    """Whether it is a dataset of torch, or an object of a class of the project that is one."""
    return isinstance(value, Dataset) or (
        isinstance(value, Instance)
        and any(
            isinstance(base, External) and base.name.startswith("torch.utils.data.")
            for cls in value.cls.lineage()
            for base in cls.bases
        )
    )


def _all_tensors(value: Value) -> bool:
    match value:
        case Tensor():
            return True
        case Items(items=tuple(items)) if items:
            return all(_all_tensors(item) for item in items)
        case Table(entries=dict(entries)) if entries:
            return all(_all_tensors(item) for item in entries.values())
        case _:
            return False


def join_places(places: list[Placement]) -> Placement:
    result = places[0]
    for place in places[1:]:
        result = join(result, place)
    return result


def _moves_anything(run: Interpreter, value: Value) -> bool:
    from devlint.analysis.frame import holds_a_move

    match value:
        case Function(info=info):
            return holds_a_move(info.node)
        case Instance(cls=cls):
            return cls.moves_itself
        case _:
            return True


def sample_of(run: Interpreter, dataset: Value, argument: Argument | None) -> tuple[Placement, Value | None]:
    """Where the samples of a dataset live."""
    match dataset:
        case Dataset(place=place, sample=sample):
            return (place if place.where in (Where.DEVICE, Where.HOME) else HOST), sample
        case Instance(cls=cls) if (getter := cls.method("__getitem__")) is not None and argument is not None:
            value = call_function(
                run,
                Function(getter, run.modules.get(getter.file), dataset),
                argument.node,
                [Argument(SCALAR, argument.node)],
            )
            here = placement_of(value)
            if isinstance(value, Table) and value.entries:
                here = join_places([placement_of(v) for v in value.entries.values()])
            return (
                here if here.on_device else UNKNOWN if here.where is Where.UNKNOWN and cls.moves_itself else HOST
            ), value
        case Instance(cls=cls) if (method := cls.method("__iter__")) is not None and argument is not None:
            made = call_function(run, Function(method, run.modules.get(method.file), dataset), argument.node, [])
            here = placement_of(made.element) if isinstance(made, Items) else UNKNOWN
            return here if here.on_device else UNKNOWN if cls.moves_itself and not here.on_host else HOST, None
        case Items(element=element):
            here = placement_of(element)
            return (here if here.on_device else HOST), element
        case _:
            return HOST, None
