"""The values of the abstract interpreter: what kind of thing a name holds, and where it lives.

Values are immutable but for `Module` and `Instance`, which name an object in the interpreter's heap: `Module.to`
moves the object, and every name that holds it sees the move.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING

from devlint.analysis.placement import HOST, UNKNOWN, Placement, join

if TYPE_CHECKING:
    from pathlib import Path

    import libcst as cst

    from devlint.analysis.facts import Site
    from devlint.analysis.frame import ClassInfo, Frame, FunctionInfo
    from devlint.analysis.parsed import ParsedFile, Spot


class Source(Enum):
    """How a tensor came to be on the host."""

    LOADER = "loader"
    """A loader yielded it."""
    DATA = "data"
    """Built from lists or arrays: `torch.tensor(rows)`, `torch.from_numpy(x)`."""
    FACTORY = "factory"
    """Made by a factory: `torch.zeros(3)`."""
    OUTPUT = "output"
    """Computed by a module."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The plain attribute of a module that holds a tensor since the module was made.

    spot: the statement that binds it. ref: the module. inside: the tensor was made by the module, not handed to it.
    whole: the attribute is the tensor, not a container of tensors.
    """

    spot: Spot
    name: str
    function: FunctionInfo
    ref: int
    inside: bool
    whole: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a host tensor comes from, and the name it was last bound to whole.

    spot: the loop, the `next(iter(...))` call or the creating call.
    part: the name that the loop target or an unpacking gave to this part of the batch.
    bound: the statement that bound `part`; a move can stand after it.
    in_loop: made anew on every turn of a loop, or on every call of a function.
    """

    spot: Spot
    source: Source
    part: str = ""
    bound: Spot | None = None
    in_loop: bool = False
    in_module: bool = False
    """Made in a method of a module."""
    call: Spot | None = None
    """The call of the function that made it."""
    frame: Frame | None = None
    """The running body that made it."""
    kept: Kept | None = None
    opaque: bool = False
    """From a loader with a collate function of its own, that may put out anything."""
    form: Form | None = None
    """What a loader's batch is made of, where that is known."""
    stuck: bool = False
    """It has gone into an operation with a tensor that stays on the host: to make it on a device would break that."""
    others: tuple[Origin, ...] = ()
    """What `part` was bound to on the other paths that lead here; where it has no name yet, what else it may be.

    Those of another name are other tensors, of which this is either.
    """


class Value:
    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Value):
    """Anything. `symbol` names a parameter or attribute that it stands for, so that evidence can be gathered.

    lost: it is known to be, or to hold, a tensor or a module on some way here.
    """

    symbol: str = ""
    lost: bool = False


UNKNOWN_VALUE = Unknown()
LOST = Unknown(lost=True)


@dataclass(frozen=True, slots=True, eq=False)
class Const(Value):
    """A literal: str, int, float, bool or None. `spot` is where it is written."""

    value: object
    spot: Spot | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Value):
    """A number, a size, a shape: nothing that lives on a device. `text`: it is known to be a string."""

    text: bool = False


SCALAR = Scalar()
TEXT = Scalar(True)


@dataclass(frozen=True, slots=True, eq=False)
class Array(Value):
    """A numpy array, or what may be a number of one."""

    maybe_number: bool = False


ARRAY = Array()
ARRAY_OR_NUMBER = Array(maybe_number=True)


@dataclass(frozen=True, slots=True)
class Form:
    """What a loader's batch is made of, where that is known.

    kind: `"list"`, `"sequence"` (a list or a tuple), `"dict"`; `"part"` for one of its parts, nobody knows which;
    `"collated"` for what torch's own collate function makes of samples that nobody knows; `"columns"` for a sequence
    of sequences, as `tuple(zip(*samples))` gives.
    still: the parts that have no `.to`, by key or position, and what they are.
    sure: whether all others are known to be tensors.
    """

    kind: str
    still: tuple[tuple[object, str], ...] = ()
    sure: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Tensor(Value):
    place: Placement
    origin: Origin | None = None
    zero_dim: bool | None = False
    """True: 0-dimensional. None: may be."""
    parameter: bool = False
    grad: bool = False
    """Whether it may require a gradient (`.numpy()` wants a `.detach()` first)."""
    moved_from: Origin | None = None
    """Set on the result of a move: where the value that was moved came from."""
    of: int | None = None
    """The module whose parameter or buffer it is."""
    dims: int | None = None
    """How many dimensions it has, where that is known."""
    element: bool = False
    """Taken out of another by one index, or by a reduction: 0-dimensional if that one was a vector."""

    def row(self, indices: int = 1) -> Tensor:
        """What an integer index gives, or a loop over it: 0-dimensional where there was one dimension."""
        dims = None if self.dims is None else max(0, self.dims - indices)
        zero_dim = None if dims is None else dims == 0
        return replace(self, parameter=False, zero_dim=zero_dim, dims=dims, element=dims is None)


@dataclass(frozen=True, slots=True, eq=False)
class Batch(Value):
    """What a loader yields, or a part of it: a structure of tensors whose shape is not known."""

    place: Placement
    origin: Origin | None = None
    moved_from: Origin | None = None
    part: bool = False
    """A part got by unpacking a tuple: a tensor, most likely."""
    opaque: bool = False
    """What a collate function put out that could not be followed."""
    form: Form | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Items(Value):
    """A list, tuple, set, iterator or generator. `items` where each element is known, else their join in `element`."""

    element: Value
    items: tuple[Value, ...] | None = None
    names: tuple[str, ...] = ()
    """Of a named tuple: its fields, one for each item."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordType(Value):
    """A class of named tuples."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Table(Value):
    """A dict. `entries` by constant key where known, else the join of all in `element`."""

    element: Value
    entries: dict[object, Value] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Generator(Value):
    """A `torch.Generator`. site: where it is made; None for the default one."""

    place: Placement
    site: Site | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Distribution(Value):
    """Of `torch.distributions`. parameters: a tensor as they are, all in one; None where they are all numbers."""

    parameters: Tensor | None


@dataclass(frozen=True, slots=True, eq=False)
class Loader(Value):
    """Yields host batches, unless its dataset or its collate function moves them."""

    place: Placement = HOST
    batch: Value | None = None
    """The structure of a batch where the dataset shows it."""
    opaque: bool = False
    """It has a collate function that could not be followed: a batch may hold lists, dicts, or anything."""
    form: Form | None = None
    dataset: Value | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Dataset(Value):
    """A torch dataset of tensors: its samples live where they live."""

    place: Placement
    sample: Value | None = None
    tensors: tuple[Value, ...] = ()
    """What a `TensorDataset` was given."""


@dataclass(frozen=True, slots=True, eq=False)
class Module(Value):
    """An `nn.Module`; its placement and attributes are in the heap under `ref`."""

    ref: int


@dataclass(frozen=True, slots=True, eq=False)
class Modules(Value):
    """One of several modules: what is done with it is done with each of them."""

    refs: tuple[int, ...]

    def each(self) -> tuple[Module, ...]:
        return tuple(Module(ref) for ref in self.refs)


MOST_MODULES = 6
"""So many modules are told apart in one value."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance(Value):
    """An object of a class of the project that is no module."""

    ref: int
    cls: ClassInfo


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Value):
    """One of several classes or functions of the project, looked up by a key that nobody knows."""

    options: tuple[Value, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Optimizer(Value):
    refs: tuple[int, ...] = ()
    made: cst.CSTNode | None = field(default=None, repr=False)
    """The call that makes it."""


@dataclass(frozen=True, slots=True, eq=False)
class DeviceValue(Value):
    """A `torch.device` or a string that names one. Moving to it places a value at `place`."""

    place: Placement
    literal: Spot | None = None
    """The `"cuda"` literal that it comes from, where nothing guards it."""
    is_object: bool | None = None
    """Whether it is a `torch.device` rather than a string or an index; None where that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class Flag(Value):
    """A boolean that is `present` exactly where an accelerator is present."""

    present: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Function(Value):
    info: FunctionInfo
    closure: Frame | None = None
    receiver: Value | None = None
    partial: tuple[tuple[Value, ...], tuple[tuple[str, Value], ...]] = ((), ())
    bare: bool = False
    """As its decorators get it."""
    derivative: bool = False
    """Called, it gives gradients of what the function gives: they are where its first argument is."""


@dataclass(frozen=True, slots=True, eq=False)
class Class(Value):
    info: ClassInfo


@dataclass(frozen=True, slots=True, eq=False)
class Super(Value):
    """`super()`: the methods of a base class, on the receiver of the running method."""

    cls: ClassInfo
    receiver: Value


@dataclass(frozen=True, slots=True, eq=False)
class External(Value):
    """A name of another library, with aliases resolved: `torch.nn.Linear`."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Imported(Value):
    """A file of the project under check, as a module object."""

    file: ParsedFile


@dataclass(frozen=True, slots=True, eq=False)
class Lazy(Value):
    """A name imported from a file of the project, looked up when it is first used; no name: the file itself."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Method(Value):
    """A method of a value, taken but not yet called."""

    receiver: Value
    name: str
    node: cst.CSTNode = field(repr=False)


def placement_of(value: Value) -> Placement:
    """The placement of a tensor-like value; UNKNOWN for everything else (modules live in the heap)."""
    match value:
        case Tensor() | Batch() | Loader() | Dataset():
            return value.place
        case Items(items=tuple(items)) if items:
            place = placement_of(items[0])
            for item in items[1:]:
                place = join(place, placement_of(item))
            return place
        case Items(element=element) | Table(element=element):
            return placement_of(element)
        case _:
            return UNKNOWN


def join_values(a: Value, b: Value) -> Value:
    """What a name holds after two paths meet."""
    if a is b:
        return a
    match a, b:
        case (Tensor(), Tensor()):
            place = join(a.place, b.place)
            return Tensor(
                place,
                _join_origins(a.origin, b.origin),
                a.zero_dim if a.zero_dim == b.zero_dim else None,
                a.parameter and b.parameter,
                a.grad or b.grad,
                element=a.element or b.element,
            )
        case (Batch(), Batch()):
            return Batch(join(a.place, b.place), _join_origins(a.origin, b.origin), None, a.part and b.part)
        case (Batch() | Tensor() as x, Batch() | Tensor() as y):
            return Batch(join(x.place, y.place), _join_origins(x.origin, y.origin))
        case (Const(value=x), Const(value=y)) if x == y and type(x) is type(y):
            return a
        case (Const(value=bool() | int() | float()) | Scalar(), Const(value=bool() | int() | float()) | Scalar()):
            return SCALAR
        case (Flag(present=True), Const(value=False)) | (Const(value=False), Flag(present=True)):
            return Flag()
        case (Const(value=None), Const()) | (Const(), Const(value=None)):
            return UNKNOWN_VALUE
        case (Const(value=None), Tensor() | Batch() | Module() | Instance() | Loader() as there) | (
            Tensor() | Batch() | Module() | Instance() | Loader() as there,
            Const(value=None),
        ):
            return there  # whoever uses it has made sure that it is not None
        case (Const(value=int() | float()) | Scalar(text=False), Tensor() as there) | (
            Tensor() as there,
            Const(value=int() | float()) | Scalar(text=False),
        ):
            return replace(there, zero_dim=None, dims=None)
        case (DeviceValue() | Const(value=str()), DeviceValue() | Const(value=str())):
            return _join_device_values(a, b)
        case (Distribution(parameters=Tensor() as x), Distribution(parameters=Tensor() as y)):
            both = join_values(x, y)
            return Distribution(both) if isinstance(both, Tensor) else UNKNOWN_VALUE
        case (Module(ref=x), Module(ref=y)) if x == y:
            return a
        case (Module() | Modules(), Module() | Modules()):
            refs = tuple(dict.fromkeys((*_refs(a), *_refs(b))))
            return Modules(refs) if len(refs) <= MOST_MODULES else LOST
        case (Instance(ref=x), Instance(ref=y)) if x == y:
            return a
        case (Items(), Items()):
            return _join_items(a, b)
        case (Table(), Table()):
            return Table(join_values(a.element, b.element))
        case (Loader(), Loader()):
            return Loader(join(a.place, b.place))
        case (Unknown(symbol=x), Unknown(symbol=y)) if x == y:
            return a
        case (Array(), Array()):
            return ARRAY_OR_NUMBER if a.maybe_number or b.maybe_number else ARRAY
        case (Flag(), Flag()):
            return a
        case (External(name=x), External(name=y)) if x == y:
            return a
        case (Function(info=x), Function(info=y)) if x is y:
            return a
        case (Class(info=x), Class(info=y)) if x is y:
            return a
        case (Optimizer(), Optimizer()):
            return Optimizer((*a.refs, *b.refs))
        case (Tensor() | Batch() | Module() | Modules() | Items() | Table() | Unknown(lost=True), _) | (
            _,
            Tensor() | Batch() | Module() | Modules() | Items() | Table() | Unknown(lost=True),
        ):
            return LOST
        case _:
            return UNKNOWN_VALUE


def _refs(value: Value) -> tuple[int, ...]:
    return value.refs if isinstance(value, Modules) else (value.ref,) if isinstance(value, Module) else ()


def _join_origins(a: Origin | None, b: Origin | None) -> Origin | None:
    """One origin, that remembers the other: where a name was bound on another path, or what else was made."""
    if a is None or b is None:
        return a or b
    candidates = (*a.others, replace(b, others=()), *b.others)
    further = {(one.spot, one.bound): one for one in candidates if (one.spot, one.bound) != (a.spot, a.bound)}
    if a.bound is not None:
        further = {key: one for key, one in further.items() if one.bound != a.bound}
    return replace(a, others=tuple(further.values())) if len(further) != len(a.others) else a


def _join_device_values(a: Value, b: Value) -> Value:
    from devlint.analysis.devices import as_device

    x, y = as_device(a), as_device(b)
    if x is None or y is None:
        return UNKNOWN_VALUE
    return DeviceValue(join_devices(x, y), is_object=same_form(a, b))


def same_form(a: Value, b: Value) -> bool | None:
    """Whether both of two device values are `torch.device` objects, or both are none."""
    forms = {value.is_object if isinstance(value, DeviceValue) else False for value in (a, b)}
    return forms.pop() if len(forms) == 1 else None


def join_devices(a: Placement, b: Placement) -> Placement:
    """A device variable that is an accelerator on one path and the CPU on another falls back to the CPU."""
    from devlint.analysis.placement import Certainty, Device, Where, on

    for accelerator, other in ((a, b), (b, a)):
        if accelerator.device is not None and other.where is Where.HOME:
            return on(Device(accelerator.device.text, Certainty.GUARDED, accelerator.device.index))
    return join(a, b)


def _join_items(a: Items, b: Items) -> Value:
    if a.items is not None and b.items is not None and len(a.items) == len(b.items):
        items = tuple(join_values(x, y) for x, y in zip(a.items, b.items, strict=True))
        return Items(join_all(items), items, a.names if a.names == b.names else ())
    if a.items == ():
        return Items(b.element)
    if b.items == ():
        return Items(a.element)
    return Items(join_values(a.element, b.element))


def join_all(values: tuple[Value, ...]) -> Value:
    if not values:
        return UNKNOWN_VALUE
    result = values[0]
    for value in values[1:]:
        result = join_values(result, value)
    return result
