"""What the analysis tells the rules: each fact is about one place and complete enough to decide on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import libcst as cst

from devlint.analysis.frame import ClassInfo, Frame, FunctionInfo
from devlint.analysis.parsed import Spot
from devlint.analysis.placement import Device, Placement
from devlint.analysis.values import Kept, Origin, Value


@dataclass(frozen=True, slots=True)
class WatchedName:
    """A name of a library that the project's table of replacements covers. name: with aliases resolved."""

    site: Site
    name: str


class Receiver(Enum):
    """What a move moves, as far as it is known."""

    MODULE = "module"
    TENSOR = "tensor"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Site:
    """Where something happens, and what can be seen from there.

    statement: the smallest statement around it. function: the function around it, if any.
    devices: expressions in scope that hold an accelerator, the most fitting first.
    """

    spot: Spot
    statement: cst.CSTNode
    function: FunctionInfo | None
    devices: tuple[str, ...]
    guarded: bool
    frame: Frame | None = None
    calls: tuple[Spot, ...] = ()
    """The calls that led here, innermost first; empty in code that no call decides."""
    loops: tuple[cst.CSTNode, ...] = ()
    for_cuda: bool = False
    """In code that is written for CUDA and for nothing else: a fixed device is meant there."""


@dataclass(frozen=True, slots=True)
class CudaCall:
    """`x.cuda()`. fixed_index: the argument is a number or a string that names one device."""

    site: Site
    receiver: Receiver
    call: cst.Call
    fixed_index: bool
    chosen: bool
    """The argument is an expression: somebody chooses the device elsewhere."""


class LiteralUse(Enum):
    KEYWORD = "device="
    MOVE = ".to()"
    DEVICE = "torch.device()"
    MAP_LOCATION = "map_location="
    VARIABLE = "variable"
    DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class CudaLiteral:
    """`"cuda"` written where a device is wanted. call: the `torch.device(...)` call around it, where there is one."""

    site: Site
    text: str
    use: LiteralUse
    literal: cst.CSTNode
    call: cst.Call | None = None


@dataclass(frozen=True, slots=True)
class AvailabilityNotCalled:
    """`torch.cuda.is_available` without `()` where its answer is meant.

    site: the name of the function. tested: where the function object is taken for its answer, if elsewhere.
    """

    site: Site
    name: str
    use: AvailabilityUse
    tested: Spot | None = None
    called_too: bool = False
    """The same name is called elsewhere, so that parentheses cannot simply be added here."""


class AvailabilityUse(Enum):
    CONDITION = "condition"
    COMPARISON = "comparison"
    ARGUMENT = "argument"
    TEXT = "text"


class DeviceCheck(Enum):
    """How a `torch.device` meets a string."""

    EQUALS = "=="
    MEMBER = "in a display of strings"
    CONTAINS = "a string in a device"
    STARTS = ".startswith()"
    TYPE_WITH_INDEX = "device.type with an index"


@dataclass(frozen=True, slots=True)
class DeviceComparedToString:
    """`x.device == "cuda"`. device: the expression that gives the `torch.device`. other: what it is compared with."""

    site: Site
    check: DeviceCheck
    device: cst.BaseExpression
    other: cst.BaseExpression
    texts: tuple[str, ...]
    """The strings, where they are known."""
    differs: bool
    """The operator is `!=` or `not in`."""


class TypeUse(Enum):
    CONSTRUCTED = "called"
    CAST = ".type()"
    DEFAULT = "set_default_tensor_type()"
    NAMED = "named"


@dataclass(frozen=True, slots=True)
class CudaTensorType:
    """`torch.cuda.FloatTensor`: constructed, cast to, made the default, or named and used so elsewhere.

    call: what uses it; None where it is named. data: what is known of the arguments of a construction.
    """

    site: Site
    name: str
    use: TypeUse
    call: cst.Call | None = None
    receiver: Receiver = Receiver.UNKNOWN
    arguments: tuple[Value, ...] = ()
    used: Spot | None = None


@dataclass(frozen=True, slots=True)
class FixedAmpDevice:
    """`torch.autocast("cuda")`, `torch.cuda.amp.GradScaler()`. literal: the `"cuda"`, None in `torch.cuda.amp`.

    device_is_object: whether the nearest device in scope is a `torch.device` (None: not known).
    """

    site: Site
    call: cst.Call
    scaler: bool
    literal: cst.BaseExpression | None
    switched_off: bool
    device_is_object: bool | None


class LoadUse(Enum):
    STATE = "given to load_state_dict()"
    MODULE = "a module"
    CHECKPOINT = "a checkpoint by its names"


@dataclass(frozen=True, slots=True)
class UnmappedLoad:
    """`torch.load(path)` of a checkpoint, without `map_location`."""

    site: Site
    call: cst.Call
    use: LoadUse
    random_state: bool
    """The function also restores the state of a random generator, which must stay on the host."""


class IndexUse(Enum):
    CURRENT = "set_device()"
    CONTEXT = "torch.cuda.device()"
    PARALLEL = "device_ids="
    PLACE = "a number as a device"
    CHOICE = "a string where CUDA is, another where it is not"


@dataclass(frozen=True, slots=True)
class FixedIndex:
    """A card named by its number in another way than by `.cuda(1)` and `"cuda:1"`.

    call, argument: what is given the number, where a call is.
    """

    site: Site
    use: IndexUse
    index: int
    call: cst.Call | None = None
    argument: cst.Arg | None = None


@dataclass(frozen=True, slots=True)
class CudaApiCall:
    """A call of a function of `torch.cuda` that `cuda_api_table` knows, by its name below `torch.cuda`."""

    site: Site
    name: str
    call: cst.Call
    launcher: bool
    """The file starts process groups over NCCL, which runs on CUDA only."""


@dataclass(frozen=True, slots=True)
class DiscardedMove:
    """A statement that moves something and drops the result."""

    site: Site
    receiver: Receiver
    moved: cst.BaseExpression
    call: cst.Call
    loop_variable_of: Sequence[cst.BaseExpression] = ()
    """The elements of the display that the loop runs over, where the moved name is its loop variable."""
    kept_as: tuple[str, cst.CSTNode] | None = None
    """What to assign to, and before which node, where the call is part of a tuple or a comprehension."""
    loop: cst.For | None = None
    """The loop over the parts of something that binds the moved name: assigning to it would keep nothing."""


@dataclass(frozen=True, slots=True)
class MoveOnContainer:
    """`.to()` on something that has none. kind: what it is, as Python's error names it.

    parts: its parts are tensors, as far as is known. still: which of them are not, by key or position.
    one_of: it is any part of a batch, of which those in `still` have no `.to`.
    caught: a handler around it goes on after an `AttributeError`.
    """

    site: Site
    call: cst.Call
    moved: cst.BaseExpression
    kind: str
    parts: bool
    still: tuple[tuple[object, str], ...] = ()
    one_of: bool = False
    made: Spot | None = None
    caught: bool = False


@dataclass(frozen=True, slots=True)
class CreatedThenMoved:
    """`torch.zeros(n).to(device)`. call: the move. made: the factory. device: what is given to the move."""

    site: Site
    call: cst.Call
    made: cst.Call
    device: cst.BaseExpression
    random: bool
    """The numbers hang on the device they are drawn on."""


@dataclass(frozen=True, slots=True)
class ConstantMovedInLoop:
    """A host tensor that a loop moves on each of its turns, and that no turn changes.

    loop: the outermost loop that leaves it as it is. made: where it was made or bound.
    alone: in its function nothing reads it but such moves.
    """

    site: Site
    call: cst.Call
    name: str
    loop: cst.For | cst.While
    made: Spot
    alone: bool


@dataclass(frozen=True, slots=True)
class GeneratorElsewhere:
    """A generator that fills numbers on another device. place: where it is. wanted: where they are wanted.

    made: where it is made, None for the default one. loads: for positions or seeds of what loads data.
    """

    site: Site
    call: cst.Call
    made: Site | None
    place: Placement
    wanted: Placement
    loads: bool


@dataclass(frozen=True, slots=True)
class IndexElsewhere:
    """A tensor on the host that is indexed by tensors on a device.

    owner: what is indexed. indices: those on the device. made: where the host tensor was made, where that is known.
    """

    site: Site
    owner: cst.BaseExpression
    indices: tuple[cst.BaseExpression, ...]
    made: Spot | None


@dataclass(frozen=True, slots=True)
class StoredElsewhere:
    """`host[positions] = values`, with the values on a device.

    owner: the tensor that is written to. made: where it was made, where that is known. value: what is stored.
    """

    site: Site
    owner: cst.BaseExpression
    value: cst.BaseExpression
    made: Spot | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Where a program may fail on an accelerator, for all that is known. No rule speaks of it: unknown is silent.

    A fix is not safe that brings one about. about: what meets what, in words that stay the same when lines move.
    """

    site: Site
    about: str


@dataclass(frozen=True, slots=True)
class MoveInWorker:
    """A statement that moves something to a device, or makes it there, in the worker processes of a loader.

    calls: the moves; none where the workers read tensors that are on a device already, which are those of `data`.
    loader: the number of its workers. sure: there are workers, and it is an accelerator. module: it moves a module.
    """

    site: Site
    calls: tuple[cst.Call, ...]
    loader: Spot
    sure: bool
    module: bool = False
    data: cst.BaseExpression | None = None


@dataclass(frozen=True, slots=True)
class CardsMeet:
    """A tensor on one card that meets what is on another: a tensor, `partner`, or a module, where that is None."""

    site: Site
    operand: cst.BaseExpression
    here: Device
    partner: cst.BaseExpression | None
    there: Device


@dataclass(frozen=True, slots=True)
class FixedInReplica:
    """A card by its number in a forward that `nn.DataParallel` runs on several cards. argument: what names it."""

    site: Site
    argument: cst.BaseExpression
    device: Device


@dataclass(frozen=True, slots=True)
class LoaderOffDefault:
    """A loader that shuffles, or a split, where the default device is an accelerator.

    default: where it is set, to `device`. given: it is given a generator, which is on the host. sure: whether it is
    known to be an accelerator.
    """

    site: Site
    call: cst.Call
    default: Spot
    device: cst.BaseExpression
    given: bool
    split: bool
    sure: bool


@dataclass(frozen=True, slots=True)
class KeptGraph:
    """A loss that is kept on each turn of a loop, with its graph. loss: its name in what is kept.

    backward: where the graph was used. numbers: whatever reads the sum or the list is content with numbers.
    """

    site: Site
    loss: cst.Name
    target: cst.BaseExpression
    backward: Spot
    numbers: bool


@dataclass(frozen=True, slots=True)
class SynchronisingCall:
    """A call in the inner loop that makes the host wait for the device. what: the call, in short."""

    site: Site
    call: cst.Call
    what: str


@dataclass(frozen=True, slots=True)
class Meets:
    """An operand on the host that meets something on a device (or a model that should be on one)."""

    operand: cst.BaseExpression
    site: Site
    partner: str
    device: Device | None
    part: str
    bound: Spot | None = None
    """The statement that bound `part`."""
    container: bool = False
    """The operand is a list, tuple or dict that holds the tensor: it cannot be moved as one."""
    fed: bool = False
    """It is handed to a model, that may take anything; else an operation of torch needs it to be a tensor."""
    others: tuple[Spot, ...] = ()
    """The statements that bound `part` on the other paths that lead here."""
    model: str = ""
    """The text of the model that it is handed to: `agent` for `agent.act(x)`."""


@dataclass(frozen=True, slots=True)
class BatchOnHost:
    """A batch of a loader (or a tensor built from data on every turn) that is never moved.

    device: where its partner is; None where the whole program stays on the CPU.
    """

    origin: Origin
    meets: tuple[Meets, ...]
    device: Device | None
    model: Spot | None
    frame: Frame
    unused_device: str = ""
    """The device parameter that the function takes and never uses."""
    evidence: Spot | None = None
    """A sibling loop that moves its batches for the same model."""


@dataclass(frozen=True, slots=True)
class TensorOnHost:
    """Tensors made once on the host, and bound together, that meet a device, or a model that should be on one."""

    origin: Origin
    meets: tuple[Meets, ...]
    device: Device | None
    model: Spot | None
    frame: Frame
    is_input: bool
    """They are fed to a model or are the target of its loss."""
    loaded: bool = False
    """A loader reads them too: where they are made they have to stay on the host."""


@dataclass(frozen=True, slots=True)
class TensorAttribute:
    """A tensor that a module keeps as a plain attribute, and that meets its input or its parameters on a device.

    device: None where the whole program stays on the CPU.
    """

    origin: Origin
    kept: Kept
    meets: tuple[Meets, ...]
    device: Device | None
    frame: Frame
    instance_seen: bool = True
    """Else what is known is the class alone: it fails as soon as an instance is moved."""


class ModelRole(Enum):
    """What a module is to the program."""

    MODEL = "model"
    SECOND = "second"
    """Another model that the same code runs, or mixes with this one, is on a device."""
    LOSS = "loss"
    """It computes a loss; with a weight, or parameters of its own."""


@dataclass(frozen=True, slots=True)
class ModelOnHost:
    """A model that is fed from a device (device is set), or that trains on the CPU because nothing is moved."""

    created: Spot
    binding: Spot | None
    """The statement that binds the model in the function that feeds it."""
    name: str
    feeds: tuple[Meets, ...]
    device: Device | None
    site: Site
    alternatives: tuple[Spot, ...] = ()
    """Where the models are made that the other branches bind to the name."""
    role: ModelRole = ModelRole.MODEL
    first: Spot | None = None
    """Where the other model of a SECOND one is moved."""
    mixed: bool = False
    """It is no input that meets it, but the parameters of the other model."""
    made_by: tuple[Spot, ...] = ()
    """The calls that led to where it is made, innermost first."""


@dataclass(frozen=True, slots=True)
class HostReadsDevice:
    """`.numpy()`, or a numpy, pandas, matplotlib ... function, that reads a tensor on a device.

    reader: `"numpy"`, or the function of torch that wants this argument on the host.
    """

    site: Site
    tensor: cst.BaseExpression
    grad: bool
    reader: str
    device: Device | None
    parts: bool = False
    """It is a list of tensors that is read."""
    mixed: bool = False
    """It is, or may be, something that has no `.cpu()` where other calls lead here."""


@dataclass(frozen=True, slots=True)
class LayersInContainer:
    """Layers that a module makes and keeps in a plain list or dict: nothing registers them, nothing moves them.

    site: the statement that binds the container. value: what it binds. runs: where a method calls what it holds.
    """

    site: Site
    owner: ClassInfo
    name: str
    value: cst.BaseExpression
    layers: tuple[Spot, ...]
    runs: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class LayerMadeInForward:
    """A layer with parameters that a `forward` makes, runs and drops.

    site: the call that runs it. made: the call that makes it. function: the function that makes it, which is `forward`
    or is called by it.
    """

    site: Site
    made: Spot
    function: FunctionInfo
    forward: FunctionInfo
    guarded: bool


@dataclass(frozen=True, slots=True)
class MovedLeaf:
    """A tensor that is to be trained, and that is moved after it was made: what is kept is no leaf on a device.

    made: the call that makes the leaf. moved: what is moved, that call or a name for it. target: what the result is
    bound to. use: the optimizer that is given it, or where its gradient is read; None where a module keeps it.
    """

    site: Site
    made: Spot
    move: cst.Call
    moved: cst.BaseExpression
    parameter: bool
    target: str
    use: Spot | None


@dataclass(frozen=True, slots=True)
class StaleDevice:
    """A device that a module stored when it was made, and that it uses after it was moved elsewhere.

    site: the first use. stored: where `__init__` stores it. kept: what it says. now: where the module is.
    """

    site: Site
    owner: ClassInfo
    name: str
    stored: Spot
    uses: tuple[Site, ...]
    kept: Placement
    now: Placement
    moved: Spot | None
    has_parameters: bool


@dataclass(frozen=True, slots=True)
class OptimizerBeforeMove:
    """An optimizer of parameters on the host whose module is moved to a device afterwards.

    site: the call that makes it. stateful: it keeps tensors beside the parameters. loaded, held: where it was given
    state from a checkpoint, or made some of its own, that stays on the host.
    """

    site: Site
    kind: str
    stateful: bool
    moved: Spot | None
    loaded: Spot | None
    held: Spot | None
    replaced: Spot | None = None
    """Where the name of its module is bound to another module, on a device; this one it does not train."""
