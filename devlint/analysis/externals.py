"""What functions and classes of torch, of Python and of a few libraries give, by dotted name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import torch_table as table
from devlint.analysis.binding import element_of, part_of
from devlint.analysis.calls import Argument, Arguments, call_function, call_value, escape, keyword_value
from devlint.analysis.devices import as_device
from devlint.analysis.distributions import SPACE, call_distributions
from devlint.analysis.factories import device_argument, factory, from_data, legacy, like
from devlint.analysis.forms import form_of_batches, form_of_collated, is_none
from devlint.analysis.generators import made_generator
from devlint.analysis.guards import AVAILABILITY
from devlint.analysis.indexes import may_reduce_to_one
from devlint.analysis.owners import owns
from devlint.analysis.placement import HOME, HOST, UNKNOWN, Certainty, Device, Placement, Where, join, on
from devlint.analysis.records import named_tuple_type
from devlint.analysis.syntax import NOT_LITERAL, dotted, literal
from devlint.analysis.values import (
    ARRAY,
    SCALAR,
    TEXT,
    UNKNOWN_VALUE,
    Batch,
    Class,
    Const,
    Dataset,
    DeviceValue,
    Flag,
    Function,
    Instance,
    Items,
    Loader,
    Module,
    Super,
    Table,
    Tensor,
    Unknown,
    Value,
    join_all,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

Handler = Callable[["Interpreter", str, cst.CSTNode, Arguments], Value]
_EXACT: dict[str, Handler] = {}


def external(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for name in names:
            _EXACT[name] = handler
        return handler

    return register


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
    if (handler := _EXACT.get(name)) is not None:
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
    if run.meetings.is_loss_name(last) and last[:1].islower():
        tensors = [(a.node, a.value) for a in arguments if isinstance(a.value, Tensor | Batch)]
        if len(tensors) >= 2:
            run.meetings.met(node, tensors, loss=True)
            return Tensor(placement_of(tensors[0][1]), zero_dim=True, grad=True)
    if _MODEL_CLASS.match(last) and not name.startswith("builtins.") and run.meetings.made_into_model(node):
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
            values = [argument.value]
            if isinstance(argument.value, Items):
                values = [argument.value.element]
            for value in values:
                if isinstance(value, Tensor) and argument.value is value:
                    run.meetings.host_reads(node, argument.node, value)
    return ARRAY if name.startswith("numpy.") else UNKNOWN_VALUE


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
        return _nn(run, name, last, node, arguments)
    if space.startswith("torch.optim") and last in table.OPTIMIZERS:
        return run.meetings.order.made(last, node, arguments)
    if space in {"torch.linalg", "torch.special", "torch.fft"}:
        return _torch_function(run, last, node, arguments)
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

    tensors: list[tuple[cst.BaseExpression, Value]] = []
    for argument in arguments:
        match argument.value:
            case Tensor() | Batch():
                tensors.append((argument.node, argument.value))
            case Items(items=tuple(items)) if isinstance(argument.node, cst.Tuple | cst.List):
                for element, item in zip(argument.node.elements, items, strict=False):
                    if isinstance(item, Tensor | Batch):
                        tensors.append((element.value, item))
            case Items(element=Tensor() | Batch() as element):
                tensors.append((argument.node, element))
    if not tensors:
        return Tensor(device_argument(run, arguments) or UNKNOWN, zero_dim=None)
    if (mixes or last in table.MIXING) and len(tensors) > 1:
        run.meetings.met(node, tensors, loss=loss, strict=last in table.STRICT)
    if mixes or last in table.MIXING:
        unknown = [(argument.node, argument.value) for argument in arguments if isinstance(argument.value, Unknown)]
        run.meetings.met_in_class(node, [*tensors, *unknown])
    result = result_of(run, tensors)
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


def _nn(run: Interpreter, name: str, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if last == "Parameter":
        inner = arguments[0].value if arguments else UNKNOWN_VALUE
        return Tensor(placement_of(inner), None, False, parameter=True, grad=True)
    if last == "DataParallel" or last == "DistributedDataParallel" or last == "FullyShardedDataParallel":
        return _parallel(run, last, node, arguments)
    if not last[:1].isupper() or last in table.PARAMETER_CONTAINERS:
        return UNKNOWN_VALUE
    weights = [
        a.value
        for position, a in enumerate(arguments)
        if a.keyword in {"weight", "pos_weight"} or (position == 0 and not a.keyword and isinstance(a.value, Tensor))
    ]
    weights = [weight for weight in weights if _weighs(weight, last)]
    weighted = last in table.LOSSES and bool(weights)
    module = run.new_object(node, external=name, stateless=last in table.STATELESS and not weighted, module=True)
    assert isinstance(module, Module)
    info = run.objects[module.ref]
    if last in table.CONTAINERS or last in {"TransformerEncoder", "TransformerDecoder"}:
        info.lists_parts = True
        info.parts.extend(_part_values(arguments))
        parts = [ref for value in info.parts for ref in _refs(value)]
        info.stateless = last == "Sequential" and bool(parts) and all(run.objects[ref].stateless for ref in parts)
    if (place := device_argument(run, arguments)) is not None:
        run.move(module.ref, place)
    elif weighted:
        run.move(module.ref, placement_of(weights[0]))
    return module


def _weighs(weight: Value, loss: str) -> bool:
    """Whether the weight of a loss has to be where the loss is used; a 0-dimensional one may be on the host."""
    if isinstance(weight, Tensor):
        return weight.zero_dim is False or (weight.zero_dim is None and loss in {"CrossEntropyLoss", "NLLLoss"})
    return not (isinstance(weight, Const) and weight.value is None)


def _part_values(arguments: Arguments) -> list[Value]:
    values: list[Value] = []
    for argument in arguments:
        match argument.value:
            case Items(items=tuple(items)):
                values.extend(items)
            case Items(element=element):
                values.append(element)
            case Table(entries=dict(entries)):
                values.extend(entries.values())
            case other:
                values.append(other)
    return values


def _refs(value: Value) -> list[int]:
    return [value.ref] if isinstance(value, Module) else []


def _parallel(run: Interpreter, last: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    inner = arguments[0].value if arguments else UNKNOWN_VALUE
    if not isinstance(inner, Module):
        return UNKNOWN_VALUE
    module = run.new_object(node, external=f"torch.nn.{last}", module=True)
    assert isinstance(module, Module)
    info = run.objects[module.ref]
    info.scatters = True
    info.parts.append(inner)
    run.set_attribute(module.ref, "module", inner)
    return module


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


@external("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.DistributedDataParallel")
def _data_parallel(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return _parallel(run, name.rpartition(".")[2], node, arguments)


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


@external("copy.deepcopy")
def _copy(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    value = arguments[0].value if arguments else UNKNOWN_VALUE
    return copied(run, value, node) if isinstance(value, Module) else value


def copied(run: Interpreter, value: Module, node: cst.CSTNode) -> Module:
    """A deep copy of a module: where the original was, and moved on its own from then on."""
    info = run.objects[value.ref]
    place = run.place_of(value.ref)
    copy = run.new_object(node, cls=info.cls, external=info.external, stateless=info.stateless, module=True)
    assert isinstance(copy, Module)
    target = run.objects[copy.ref]
    target.lists_parts, target.scatters = info.lists_parts, info.scatters
    for part in info.parts:
        target.parts.append(copied(run, part, node) if isinstance(part, Module) and part.ref != value.ref else part)
    for name in list(info.names):
        inner = run.heap.attribute(value.ref, name) or UNKNOWN_VALUE
        run.set_attribute(
            copy.ref, name, copied(run, inner, node) if isinstance(inner, Module) and inner.ref != value.ref else inner
        )
    run.heap.set_place(copy.ref, place)
    return copy


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
    return Loader(place, opaque=opaque, form=form)


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


# -- Python -----------------------------------------------------------------------------------------------------


@external("builtins.super")
def _super(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    frame = run.frame
    while frame is not None and (frame.function is None or frame.function.owner is None):
        frame = frame.outer  # type: ignore[assignment]
    if frame is None or frame.function is None or frame.receiver is None:
        return UNKNOWN_VALUE
    owner = frame.function.owner
    assert owner is not None
    for base in owner.bases:
        if isinstance(base, Class):
            return Super(base.info, frame.receiver)
    return UNKNOWN_VALUE


@external("builtins.next")
def _next(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return element_of(run, arguments[0].value, node, node) if arguments else UNKNOWN_VALUE


@external("builtins.enumerate")
def _enumerate(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    element = element_of(run, arguments[0].value, node, node) if arguments else UNKNOWN_VALUE
    return Items(Items(UNKNOWN_VALUE, (SCALAR, element)))


@external("builtins.zip", "itertools.zip_longest", "itertools.product")
def _zip(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    elements = tuple(element_of(run, a.value, a.node, node) for a in arguments if not a.keyword)
    if any(a.star for a in arguments):
        return Items(Items(part_of(elements[0], 0)) if elements else UNKNOWN_VALUE)
    return Items(Items(join_all(elements), elements))


@external("itertools.chain", "builtins.min", "builtins.max", "builtins.sum")
def _first(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if not arguments:
        return UNKNOWN_VALUE
    value = arguments[0].value
    if name.endswith("chain"):
        return Items(join_all(tuple(element_of(run, a.value, a.node, node) for a in arguments)))
    return part_of(value, 0) if isinstance(value, Items) else UNKNOWN_VALUE


@external("builtins.map")
def _map(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if len(arguments) < 2:
        return UNKNOWN_VALUE
    function, values = arguments[0], arguments[1]
    if isinstance(values.value, Items) and values.value.items is not None:
        nodes: list[cst.BaseExpression] = [values.node] * len(values.value.items)
        if isinstance(values.node, cst.Tuple | cst.List):
            nodes = [element.value for element in values.node.elements]
        items = tuple(
            call_value(run, function.value, inner, [Argument(value, inner)])
            for value, inner in zip(values.value.items, nodes, strict=False)
        )
        return Items(join_all(items), items)
    element = element_of(run, values.value, values.node, node)
    return Items(call_value(run, function.value, node, [Argument(element, values.node)]))


@external("builtins.list", "builtins.tuple", "builtins.set", "collections.deque")
def _sequence(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if not arguments:
        return Items(UNKNOWN_VALUE, ())
    value = arguments[0].value
    return value if isinstance(value, Items) else Items(element_of(run, value, node, node))


@external("builtins.dict", "collections.OrderedDict")
def _dict(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if arguments and not arguments[0].keyword:
        return arguments[0].value if isinstance(arguments[0].value, Table | Batch) else Table(UNKNOWN_VALUE)
    entries: dict[object, Value] = {a.keyword: a.value for a in arguments if a.keyword}
    return Table(join_all(tuple(entries.values())), entries)


@external(
    "builtins.len", "builtins.int", "builtins.float", "builtins.bool", "builtins.abs", "builtins.round", "builtins.str"
)
def _number(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if name == "builtins.abs" and arguments and isinstance(arguments[0].value, Tensor):
        return arguments[0].value
    if name == "builtins.str" and arguments and isinstance(arguments[0].value, DeviceValue):
        return replace(arguments[0].value, is_object=False)
    return TEXT if name == "builtins.str" else SCALAR


@external("builtins.range")
def _range(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return Items(SCALAR)


@external("builtins.isinstance", "torch.is_tensor")
def _is_tensor(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return UNKNOWN_VALUE


@external("builtins.getattr")
def _getattr(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    from devlint.analysis.expressions import attribute_of

    key = arguments[1].value.value if len(arguments) > 1 and isinstance(arguments[1].value, Const) else NOT_LITERAL
    if isinstance(key, str):
        return attribute_of(run, arguments[0].value, key, node)
    return UNKNOWN_VALUE


@external("builtins.setattr")
def _setattr(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if len(arguments) == 3 and isinstance(arguments[0].value, Module | Instance):
        key = arguments[1].value.value if isinstance(arguments[1].value, Const) else NOT_LITERAL
        run.set_attribute(arguments[0].value.ref, key if isinstance(key, str) else f"#{id(node)}", arguments[2].value)
    return UNKNOWN_VALUE


@external("collections.namedtuple", "typing.NamedTuple")
def _named_tuple(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return named_tuple_type(arguments)


@external("functools.partial")
def _partial(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if not arguments or not isinstance(arguments[0].value, Function):
        return UNKNOWN_VALUE
    positional = tuple(a.value for a in arguments[1:] if not a.keyword)
    named = tuple((a.keyword, a.value) for a in arguments[1:] if a.keyword)
    return replace(arguments[0].value, partial=(positional, named))


@external("os.environ.get", "os.getenv")
def _environment(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return UNKNOWN_VALUE
