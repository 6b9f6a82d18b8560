"""What functions and classes of torch, of Python and of a few libraries give, by dotted name."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

import devlint.analysis.functional
import devlint.analysis.gradients
import devlint.analysis.model_copies
import devlint.analysis.python_functions  # noqa: F401  (fills the table of handlers)
from devlint.analysis import torch_table as table
from devlint.analysis.arrays import array_of
from devlint.analysis.calls import Arguments, escape, keyword_value
from devlint.analysis.devices import as_device
from devlint.analysis.distributions import SPACE, call_distributions
from devlint.analysis.factories import device_argument, factory, from_data, legacy, like
from devlint.analysis.generators import made_generator
from devlint.analysis.guards import AVAILABILITY
from devlint.analysis.handlers import HANDLERS, external
from devlint.analysis.indexes import may_reduce_to_one
from devlint.analysis.loaders import loader_of
from devlint.analysis.module_factories import make_module
from devlint.analysis.operands import operands_in, unknown_in, unlisted
from devlint.analysis.owners import owns
from devlint.analysis.placement import HOME, UNKNOWN, Certainty, Device, Where, on
from devlint.analysis.syntax import dotted, literal
from devlint.analysis.tuple_results import several
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    Batch,
    Const,
    DeviceValue,
    Flag,
    Items,
    Tensor,
    Value,
    join_all,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

_ALIASES = (
    ("torch.functional.", "torch."),
    ("torch.nn.modules.", "torch.nn."),
    ("torch.utils.data.dataloader.", "torch.utils.data."),
    ("torch.utils.data.dataset.", "torch.utils.data."),
    ("torch.cuda.amp.common.", "torch.cuda.amp."),
)


def call_external(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    for prefix, canonical in _ALIASES:
        if name.startswith(prefix):
            name = canonical + name.removeprefix(prefix).rpartition(".")[2]
    if (handler := HANDLERS.get(name)) is not None:
        return handler(run, name, node, arguments)
    if name.startswith("torch."):
        return _call_torch(run, name, node, arguments)
    if name.startswith("builtins."):
        return _call_unbound(run, name, node, arguments)
    last = name.rpartition(".")[2]
    if last.endswith("DataLoader") or last in {"NeighborLoader", "BucketIterator", "FastDataLoader"}:
        return loader_of(run, arguments)
    if owns(name):
        run.meetings.owner_seen(run.frame.file)
        escape(run, arguments)
        return UNKNOWN_VALUE
    if name.startswith(table.MODULE_FACTORIES) and (
        last[:1].isupper() or not name.startswith("torchvision.models.detection")
    ):
        if keyword_value(arguments, "device") is None and keyword_value(arguments, "device_map") is None:
            return run.new_object(node, external=name, module=True)
        return UNKNOWN_VALUE
    if name.startswith(("tqdm", "rich.progress.track", "alive_progress")) or last in {
        "tqdm",
        "trange",
        "track",
        "progress_bar",
    }:
        return arguments[0].value if arguments else UNKNOWN_VALUE
    if name.startswith(table.HOST_CONSUMERS):
        return _call_host_library(run, name, node, arguments)
    return _call_foreign(run, name, node, arguments)


def _call_unbound(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """A name that nothing in sight binds: a builtin, or something star-imported."""
    last = name.rpartition(".")[2]
    if last in {"tqdm", "progress_bar", "track"} and arguments:
        return arguments[0].value
    if last in _HARMLESS or name.count(".") > 1:
        return UNKNOWN_VALUE
    return _call_foreign(run, name, node, arguments)


_HARMLESS = frozenset(
    [
        "print",
        "len",
        "str",
        "int",
        "float",
        "bool",
        "repr",
        "isinstance",
        "hasattr",
        "id",
        "type",
        "vars",
        "dir",
        "callable",
        "format",
        "hash",
        "open",
        "input",
        "round",
        "abs",
        "range",
    ]
)
_WATCHERS = re.compile(
    r"(^|\.)(watch|summary|add_graph|profile|get_model_complexity_info|count_parameters|info|debug|warning|deepcopy|log|clip_grad_norm_)$"
)
_MODEL_CLASS = re.compile(r"^[A-Z]\w*$")


def _call_foreign(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """A function of a library, or of a file, that is not seen."""
    last = name.rpartition(".")[2]
    if run.meetings.uses.is_loss_name(last) and last[:1].islower():
        tensors = [(a.node, a.value) for a in arguments if isinstance(a.value, Tensor | Batch)]
        if len(tensors) >= 2:
            run.meetings.met(node, tensors, loss=True)
            return Tensor(placement_of(tensors[0][1]), zero_dim=True, grad=True)
    if _MODEL_CLASS.match(last) and not name.startswith("builtins.") and run.meetings.uses.made_into_model(node):
        for argument in arguments:
            if argument.keyword in {"device", "device_map"}:
                return UNKNOWN_VALUE
        return run.new_object(node, external=name, module=True)
    if not _WATCHERS.search(last):
        escape(run, arguments)
    return UNKNOWN_VALUE


def _call_host_library(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if name not in table.TENSOR_TOLERANT:
        for argument in arguments:
            match argument.value:
                case Tensor() | Batch() as value:
                    run.meetings.host_reads(node, argument.node, value)
                case Items(element=Tensor() as value):
                    run.meetings.host_reads(node, argument.node, value, parts=True)
                case _:
                    run.meetings.read_otherwise.add(argument.node)
    return array_of(name, arguments) if name.startswith("numpy.") else UNKNOWN_VALUE


# -- torch ------------------------------------------------------------------------------------------------------


def _call_torch(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if AVAILABILITY.match(name):
        return Flag()
    space, _, last = name.rpartition(".")
    if space == "torch":
        if last in {"Generator", "manual_seed"}:
            return made_generator(run, node, arguments, default=last == "manual_seed")
        if last in table.FACTORIES:
            return factory(run, last, node, arguments)
        if last in table.DATA_FACTORIES:
            return from_data(run, last, node, arguments)
        if last in table.LEGACY_TENSORS:
            return legacy(run, node, arguments)
        if last in table.LIKE:
            return like(run, arguments)
        if last in table.NOT_TENSORS:
            return UNKNOWN_VALUE
        return _torch_function(run, last, node, arguments)
    if space in {"torch.cuda", "torch.xpu"} and last in table.LEGACY_TENSORS:
        return Tensor(on(Device('"cuda"', Certainty.LITERAL)))
    if space == "torch.nn.functional":
        return _torch_function(
            run, last, node, arguments, mixes=last not in table.NON_MIXING_FUNCTIONAL, loss=last in table.LOSS_FUNCTIONS
        )
    if space == "torch.nn.utils.rnn":
        return _sequences(run, last, node, arguments)
    if space == "torch.nn.init" or (space.startswith("torch.nn.utils") and last.endswith(("_", "norm"))):
        return arguments[0].value if arguments else UNKNOWN_VALUE
    if space == "torch.nn" or (space.startswith("torch.nn.") and last[:1].isupper()):
        return make_module(run, name, last, node, arguments)
    if space in {"torch.nn.Embedding", "torch.nn.EmbeddingBag"} and last == "from_pretrained":
        return make_module(run, space, space.rpartition(".")[2], node, [])
    if space.startswith("torch.optim") and last in table.OPTIMIZERS:
        return run.meetings.order.made(last, node, arguments)
    if space in {"torch.linalg", "torch.special", "torch.fft"}:
        return _torch_function(run, last, node, arguments, mixes=True)
    if name.startswith(SPACE):
        return call_distributions(run, name, node, arguments)
    if name.startswith("torch.hub.load"):
        return run.new_object(node, external=name, module=True) if last == "load" else UNKNOWN_VALUE
    return UNKNOWN_VALUE


def _torch_function(
    run: Interpreter, last: str, node: cst.CSTNode, arguments: Arguments, mixes: bool = False, loss: bool = False
) -> Value:
    """A function of tensors: its result is where they are."""
    from devlint.analysis.expressions import result_of

    tensors = operands_in(run, node, arguments)
    if not tensors:
        whole = last in table.ZERO_DIM_REDUCTIONS and len(arguments) == 1
        return Tensor(device_argument(run, arguments) or UNKNOWN, zero_dim=whole or None)
    if (mixes or last in table.MIXING) and len(tensors) > 1:
        run.meetings.met(node, tensors, loss=loss, strict=last in table.STRICT)
    if mixes or last in table.MIXING:
        unknown = unknown_in(arguments)
        run.meetings.met_in_class(node, [*tensors, *unknown])
        run.meetings.doubts.meeting([*tensors, *unknown])
    else:
        unlisted(run, last, node, tensors)
    result = result_of(run, tensors)
    if (parts := several(last, result, arguments[1:])) is not None:
        return parts
    if loss:
        return replace(result, zero_dim=True, grad=True)
    if last in {"stack", "cat", "hstack", "vstack", "concat"}:
        return replace(result, zero_dim=False)
    if last in table.ZERO_DIM_REDUCTIONS and len(arguments) == 1:
        return replace(result, zero_dim=True)
    zero_dim = result.zero_dim if len(tensors) == len(arguments) else result.zero_dim or False
    dims = result.dims if last in table.KEEPS_SHAPE else None
    one = result.element or may_reduce_to_one(last, arguments, 1)
    return replace(result, zero_dim=zero_dim, dims=dims, element=one)


def _sequences(run: Interpreter, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """Padding and packing keep the place of what they are given; the lengths stay on the host, as torch wants them."""
    match last:
        case "pad_sequence" | "unpad_sequence":
            return _torch_function(run, last, node, arguments)
        case "pack_padded_sequence":
            padded = _torch_function(run, last, node, arguments[:1])
            if (lengths := keyword_value(arguments, "lengths", 1)) is not None:
                run.meetings.host_reads(node, lengths.node, lengths.value, reader=last)
            return Batch(placement_of(padded), padded.origin if isinstance(padded, Tensor) else None, opaque=True)
        case "pack_sequence":
            return Batch(placement_of(_torch_function(run, last, node, arguments)), opaque=True)
        case "pad_packed_sequence":
            packed = placement_of(arguments[0].value) if arguments else UNKNOWN
            both = (Tensor(packed, zero_dim=False), Tensor(HOME, zero_dim=False))
            return Items(join_all(both), both)
        case _:
            return UNKNOWN_VALUE


@external("torch.device")
def _device(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if not arguments:
        return UNKNOWN_VALUE
    first = arguments[0]
    place = as_device(first.value)
    literal_spot = first.value.spot if isinstance(first.value, Const) else None
    if place is not None:
        index = arguments[1].value.value if len(arguments) > 1 and isinstance(arguments[1].value, Const) else None
        if isinstance(index, int) and place.device is not None:
            place = on(Device(place.device.text, place.device.certainty, index))
        elif len(arguments) > 1 and place.device is not None:
            place = on(Device(place.device.text, Certainty.OPAQUE))
        if place.where is Where.HOME and not isinstance(first.value, DeviceValue):
            run.meetings.home_chosen()
        return DeviceValue(place, literal_spot, is_object=True)
    text = dotted(first.node)
    return DeviceValue(on(Device(text or "device", Certainty.OPAQUE)), is_object=True)


@external("torch.accelerator.current_accelerator", "torch.get_default_device")
def _current(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return DeviceValue(on(Device("device", Certainty.GUARDED)), is_object=True)


@external("torch.cuda.current_device", "torch.accelerator.current_device_index")
def _current_index(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return DeviceValue(on(Device("torch.cuda.current_device()", Certainty.LITERAL)), is_object=False)


@external("torch.set_default_device", "torch.set_default_tensor_type")
def _default(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if arguments:
        value = arguments[0].value
        text = literal(arguments[0].node)
        if "tensor_type" in name:
            named = text if isinstance(text, str) else dotted(arguments[0].node)
            if "cuda" in named:
                run.default_place = on(Device('"cuda"', Certainty.LITERAL))
        else:
            run.default_place = as_device(value) or UNKNOWN
        run.meetings.transfers.cards.default_set(run.default_place, arguments[0], node)
    return UNKNOWN_VALUE


@external("torch.autograd.Variable", "torch.autograd.variable.Variable", "torch.nn.parameter.Parameter.data")
def _variable(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return arguments[0].value if arguments else UNKNOWN_VALUE


@external(
    "torch.compile",
    "torch.jit.script",
    "copy.copy",
    "builtins.reversed",
    "builtins.sorted",
    "itertools.cycle",
    "builtins.iter",
    "itertools.islice",
)
def _same(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return arguments[0].value if arguments else UNKNOWN_VALUE
