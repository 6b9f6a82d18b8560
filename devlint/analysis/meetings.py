"""What the interpreter notices while it runs: moves, meetings of values on different devices, reads by the host.

`diagnosis.facts_from` turns the notes into facts once the run is over, since some facts need the whole program
("nothing is ever moved", "the other loop moves its batches").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import heap as objects_of
from devlint.analysis.attributes import meets_its_module
from devlint.analysis.devices import looks_like_device
from devlint.analysis.doubts import Doubts
from devlint.analysis.dropped_moves import DroppedMoves
from devlint.analysis.facts import (
    HostReadsDevice,
    Meets,
    Receiver,
    Site,
)
from devlint.analysis.fleeting_layers import FleetingLayers
from devlint.analysis.frame import Frame
from devlint.analysis.hard_coded import HardCodedDevices
from devlint.analysis.host_parameters import only_read_on_host
from devlint.analysis.leaves import Leaves
from devlint.analysis.optimizer_order import OptimizerOrder
from devlint.analysis.parsed import ParsedFile, Spot
from devlint.analysis.placement import Device, Placement, Where
from devlint.analysis.plain_containers import PlainContainers
from devlint.analysis.portability import PortabilityNotes
from devlint.analysis.stale_devices import StaleDevices
from devlint.analysis.syntax import descendants, dotted, root_name
from devlint.analysis.transfers import TransferNotes
from devlint.analysis.uses import Uses
from devlint.analysis.values import (
    Batch,
    Class,
    External,
    Function,
    Imported,
    Instance,
    Items,
    Module,
    Origin,
    Source,
    Table,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter


_NO_DEVICE = frozenset({Tensor, Batch, Module, Function, External, Items, Table})
"""Kinds that are passed over quickly where a scope is searched for a device."""


@dataclass(frozen=True, slots=True)
class Feed:
    """A call of a model whose parameters are on the host."""

    ref: int
    operand: Meets
    on_device: bool
    origin: Origin | None
    frame: Frame
    name: str
    looped: bool
    other: int | None = None
    """The module on a device whose parameters are the operand."""


@dataclass(frozen=True, slots=True)
class HostMeeting:
    origin: Origin
    meets: Meets
    frame: Frame
    model: Spot | None
    loss: bool
    fed: bool


@dataclass(slots=True)
class Evidence:
    """What loops feed to one model whose place is not known."""

    moved: list[Site] = field(default_factory=list)
    unmoved: list[tuple[Origin, Meets, Frame]] = field(default_factory=list)


class Meetings:
    """The notes of one run."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.hard_coded = HardCodedDevices(run)
        self.drops = DroppedMoves(run)
        self.uses = Uses(run)
        self.doubts = Doubts(run)
        self.reads: dict[cst.CSTNode, HostReadsDevice] = {}
        self.read_otherwise: set[cst.CSTNode] = set()
        """What a function of a host library is given that is no tensor, on one call at least."""
        self.host: dict[cst.CSTNode, list[HostMeeting]] = {}
        self.idle: dict[cst.CSTNode, list[HostMeeting]] = {}
        """Meetings on the host of a program that may turn out never to move anything."""
        self.feeds: dict[int, list[Feed]] = {}
        self.fed_to_movers: dict[int, list[Feed]] = {}
        """Calls of modules on the host that move something, so that only their inside tells what goes wrong."""
        self.left_behind: set[int] = set()
        """Modules on the host whose own buffers meet what is on a device."""
        self.evidence: dict[tuple[ParsedFile, str], Evidence] = {}
        self.moved_at: dict[int, Spot] = {}
        self.loaded: set[cst.CSTNode] = set()
        """Where the tensors were made that a loader reads."""
        self.runs_on_device: dict[Frame, dict[int, None]] = {}
        """The modules on a device that a running body calls."""
        self.attributes: dict[cst.CSTNode, list[HostMeeting]] = {}
        """Attributes of modules that meet what is where the module is, in classes of which no instance is seen."""
        self.containers = PlainContainers(run)
        self.fleeting = FleetingLayers(run)
        self.leaves = Leaves(run)
        self.stale = StaleDevices(run)
        self.order = OptimizerOrder(run)
        self.device_used = False
        self.work = False
        self.home = False
        self.owner_files: set[ParsedFile] = set()
        self.portability = PortabilityNotes(run)
        self.transfers = TransferNotes(run)

    # -- the program as a whole ---------------------------------------------------------------------------------

    def worked(self) -> None:
        """A backward pass or an optimizer step."""
        self.work = True

    def home_chosen(self) -> None:
        self.home = True

    def owner_seen(self, file: ParsedFile) -> None:
        self.owner_files.add(file)

    # -- where things are ---------------------------------------------------------------------------------------

    def site(self, node: cst.CSTNode) -> Site:
        frame = self.run.frame
        loops = tuple(loop.node for loop in frame.loops)
        return Site(
            self.run.spot(node),
            frame.statement or node,
            frame.function,
            self.devices_in_scope(),
            self.run.guarded or self.run.offline,
            frame,
            self.run.called_from(),
            loops,
            self.run.for_cuda,
        )

    def devices_in_scope(self) -> tuple[str, ...]:
        """Expressions that hold an accelerator here, the nearest first."""
        found: list[str] = []
        frame: Frame | None = self.run.frame
        inner: list[Frame] = []
        while frame is not None:
            if frame.waiting is not None:
                for name in [name for name in frame.waiting.names if "dev" in name.lower()]:
                    self.run.global_of(frame, name)
            for name, value in frame.env.items():
                if type(value) in _NO_DEVICE:
                    continue
                if looks_like_device(name, value):
                    if not any(name in nearer.env for nearer in inner):
                        found.append(name)
                elif isinstance(value, Instance) and frame.function is None and (text := self._device_of(name, value)):
                    found.append(text)
            receiver = frame.receiver
            if isinstance(receiver, Module | Instance) and frame.function is not None and frame.function.parameters:
                own = frame.function.parameters[0].name.value
                held = self.run.heap.attribute(receiver.ref, "device")
                if held is not None and looks_like_device("device", held):
                    found.insert(0, f"{own}.device")
            inner.append(frame)
            frame = frame.outer
        return tuple(dict.fromkeys(found))

    def _device_of(self, name: str, value: Instance) -> str:
        held = self.run.heap.attribute(value.ref, "device") or value.cls.attribute("device")
        return f"{name}.device" if held is not None and looks_like_device("device", held) else ""

    # -- calls --------------------------------------------------------------------------------------------------

    def call_seen(self, node: cst.Call, receiver: Value | None, callee: Value, arguments: Arguments) -> None:
        """Every call passes here once its parts are evaluated."""
        func = node.func
        name = func.attr.value if isinstance(func, cst.Attribute) else ""
        if name in {"to", "cuda", "type_as", "xpu", "npu"} and receiver is not None:
            self.drops.receivers[node] = receiver
            if name == "cuda":
                self.hard_coded.called(node, receiver, arguments)
        self.hard_coded.literals_in(node, name, callee, receiver, arguments)
        self.portability.call_seen(node, name, receiver, callee, arguments)
        self.leaves.call_seen(node, receiver, callee, arguments)
        self.transfers.call_seen(node, name, receiver, callee, arguments)

    def kind_of(self, receiver: Value, node: cst.Call) -> Receiver:
        match receiver:
            case Module():
                return Receiver.MODULE
            case Tensor() | Batch():
                return Receiver.TENSOR
        assert isinstance(node.func, cst.Attribute)
        text = dotted(node.func.value)
        if text and self.uses.as_module(text):
            return Receiver.MODULE
        return Receiver.TENSOR if text and self.uses.as_tensor(text) else Receiver.UNKNOWN

    # -- meetings -----------------------------------------------------------------------------------------------

    def met(
        self,
        node: cst.CSTNode,
        tensors: Sequence[tuple[cst.BaseExpression, Value]],
        loss: bool = False,
        strict: bool = False,
    ) -> None:
        """Tensors of one operation: all on one device, or an error on a machine that has one.

        strict: the operation is not done element by element, so that 0-dim tensors are no exception.
        """
        run = self.run
        if run.offline or run.owned:
            return
        device = next((v.place.device for _, v in tensors if isinstance(v, Tensor | Batch) and v.place.on_device), None)
        if device is not None:
            self.doubts.unplaced(tensors)
        self._parameters_met(node, tensors)
        self.transfers.cards.met(node, tensors)
        hosts = [(n, v) for n, v in tensors if self.stays(v, loss or strict)]
        if not hosts:
            return
        if device is not None:
            partner = next(n for n, v in tensors if isinstance(v, Tensor | Batch) and v.place.on_device)
            for operand, value in hosts:
                self._add(self.host, value, operand, node, partner, device, None, loss=loss)
        elif any(
            isinstance(v, Tensor) and v.origin is not None and v.origin.source is Source.OUTPUT and v.place.on_host
            for _, v in tensors
        ):
            partner = next(
                n
                for n, v in tensors
                if isinstance(v, Tensor) and v.origin is not None and v.origin.source is Source.OUTPUT
            )
            for operand, value in hosts:
                self._add(self.idle, value, operand, node, partner, None, None, loss=loss)

    def _parameters_met(self, node: cst.CSTNode, tensors: Sequence[tuple[cst.BaseExpression, Value]]) -> None:
        """The parameters of two modules in one operation: an average of models, of which one was left behind."""
        owned = [(n, v) for n, v in tensors if isinstance(v, Tensor) and v.of is not None]
        receiver = self.run.frame.receiver
        if isinstance(receiver, Module) and any(v.place.on_device for _, v in tensors if isinstance(v, Tensor | Batch)):
            own = (v for _, v in owned if v.of == receiver.ref and v.place.on_host and not v.zero_dim)
            self.left_behind |= {receiver.ref for _ in own}
        for operand, value in owned:
            partner = next((v for _, v in owned if v.of != value.of and v.place.on_device), None)
            if value.of is None or partner is None or not value.place.on_host:
                continue
            meets = Meets(operand, self.site(node), "", partner.place.device, self._name_of(operand))
            feed = Feed(value.of, meets, True, None, self.run.frame, "", False, partner.of)
            self.feeds.setdefault(value.of, []).append(feed)

    def parameters_fed(
        self, node: cst.CSTNode, operand: cst.BaseExpression, parameter: Tensor, arguments: Arguments
    ) -> None:
        """Parameters of a module are handed to a call along with its operands: all of them are in one place."""
        for given, value in _tensors_in(arguments):
            if parameter.place.on_device and self.stays(value, True):
                self._add(self.host, value, given, node, None, parameter.place.device, None, fed=True)
            known = value.place.on_device or value.place.on_host
            if parameter.of is None or not parameter.place.on_host or not known:
                continue
            meets = Meets(operand, self.site(node), "", value.place.device, self._name_of(operand))
            feed = Feed(
                parameter.of, meets, value.place.on_device, value.origin, self.run.frame, "", False, parameter.of
            )
            self.feeds.setdefault(parameter.of, []).append(feed)
            if self.stays(value, True):
                self._add(self.idle, value, given, node, None, None, None, fed=True)

    def met_in_class(self, node: cst.CSTNode, operands: Sequence[tuple[cst.BaseExpression, Value]]) -> None:
        """An operation in a method of a class: a plain attribute that meets what moves with the module."""
        run = self.run
        hosts = [
            (operand, value)
            for operand, value in operands
            if isinstance(value, Tensor)
            and value.origin is not None
            and value.origin.kept is not None
            and value.origin.kept.inside
            and self.stays(value, False)
        ]
        if not hosts or run.offline or run.owned or (partner := meets_its_module(run, operands)) is None:
            return
        for operand, value in hosts:
            self._add(self.attributes, value, operand, node, partner, None, None)

    def host_met(
        self,
        value: Value,
        operand: cst.BaseExpression,
        node: cst.CSTNode,
        partner: cst.CSTNode,
        device: Device | None,
    ) -> None:
        """A tensor on the host that one on a device meets in another way than as operands."""
        self._add(self.host, value, operand, node, partner, device, None)

    def _name_of(self, operand: cst.BaseExpression) -> str:
        """What a tensor is called: `x` for `x[0].float()`, `self.mask` for `self.mask[:n]`, "" for `torch.ones(3)`."""
        frame = self.run.frame
        root = root_name(operand)
        if isinstance(frame.lookup(root), External | Function | Class | Imported):
            return ""
        own = frame.function.parameters[0].name.value if frame.function and frame.function.parameters else ""
        if frame.receiver is None or root != own:
            return root
        named = (dotted(part) for part in descendants(operand) if isinstance(part, cst.Attribute))
        return next((text for text in named if text.count(".") == 1 and text.startswith(f"{own}.")), root)

    def stays(self, value: Value, strict: bool) -> bool:
        """On the host by neglect, and not 0-dimensional: torch raises when this meets a device."""
        match value:
            case Tensor(origin=Origin() as origin, zero_dim=zero_dim) if value.place.may_be_on_host:
                return origin.source is not Source.OUTPUT and (zero_dim is False or (strict and zero_dim is None))
            case Batch(origin=Origin()) if value.place.on_host:
                return True
            case _:
                return False

    def _add(
        self,
        notes: dict[cst.CSTNode, list[HostMeeting]],
        value: Value,
        operand: cst.BaseExpression,
        node: cst.CSTNode,
        partner: cst.CSTNode | None,
        device: Device | None,
        model: Spot | None,
        *,
        loss: bool = False,
        fed: bool = False,
        called: str = "",
    ) -> None:
        assert isinstance(value, Tensor | Batch) and value.origin is not None
        origin = value.origin
        text = dotted(partner) if partner is not None else ""
        held = _is_container(self.run.frame, operand, value)
        for either in (origin, *(other for other in origin.others if other.part != origin.part)):
            part = either.part or self._name_of(operand)
            again = tuple(one for one in origin.others if one.part == either.part and one is not either)
            meets = Meets(
                operand, self.site(node), text, device, part, either.bound, held, fed, _bound_by(again), called
            )
            met = HostMeeting(replace(either, others=again), meets, self.run.frame, model, loss, fed)
            notes.setdefault(either.spot.node, []).append(met)

    # -- models -------------------------------------------------------------------------------------------------

    def fed(self, node: cst.CSTNode, module: Module, arguments: Arguments) -> None:
        """A call of a module that has parameters."""
        run = self.run
        if run.offline or run.owned:
            return
        info = run.objects[module.ref]
        place = run.place_of(module.ref)
        if place.on_host:
            if objects_of.holds_the_unknown(run.objects, run.heap, module.ref):
                return
            place = objects_of.place_of_wrapped(run.objects, run.heap, module.ref) or place
        operands = [
            (operand, value)
            for operand, value in _tensors_in(arguments)
            if not value.place.on_host or not only_read_on_host(run, module, arguments, operand)
        ]
        if place.where is Where.SYMBOL:
            self.fed_symbol(node, place.symbol, arguments)
            return
        if info.cls is not None:
            inside_tells = info.cls.moves_itself if place.on_device else info.cls.moves_its_layers
            if inside_tells or info.cls.unknown_base:
                return
            if info.cls.moves_itself and not objects_of.holds_parameters(run.objects, run.heap, module.ref):
                for operand, value in operands:
                    if place.on_host and value.place.on_device:
                        meets = Meets(operand, self.site(node), _called_model(node, info), value.place.device, "")
                        feed = Feed(module.ref, meets, True, value.origin, run.frame, meets.partner, False)
                        self.fed_to_movers.setdefault(module.ref, []).append(feed)
                return
        if objects_of.is_stateless(run.objects, run.heap, module.ref):
            return
        if place.on_device:
            self.doubts.unplaced(operands)
            for argument in arguments:
                if isinstance(argument.value, Unknown) and argument.value.lost:
                    self.doubts.add(argument.node, f"`{dotted(argument.node)}` may be on the host")
        elif place.where is Where.UNKNOWN and any(v.place.on_device for _, v in operands):
            self.doubts.add(node, f"`{_called_model(node, info)}` may be on the host")
        if place.on_device:
            run_here = self.runs_on_device.setdefault(run.frame, {})
            run_here[module.ref] = None
            self.transfers.cards.fed(node, place, operands)
        name = _called_model(node, info)
        model = self.moved_at.get(module.ref) or info.spot
        inside = any(isinstance(frame.receiver, Module) for frame in run.frame.chain())
        looped = any(loop.over_batches for frame in run.frame.chain() for loop in frame.loops)
        for operand, value in operands:
            here = value.place
            if (
                place.on_device
                and here.may_be_on_host
                and value.origin is not None
                and value.origin.source is not Source.OUTPUT
            ):
                self._add(self.host, value, operand, node, None, place.device, model, fed=True, called=name)
            elif place.on_host and not inside and (here.on_device or here.on_host):
                part = value.origin.part if value.origin is not None else ""
                meets = Meets(operand, self.site(node), name, here.device, part or self._name_of(operand))
                self.feeds.setdefault(module.ref, []).append(
                    Feed(module.ref, meets, here.on_device, value.origin, run.frame, name, looped)
                )
                if here.on_host and value.origin is not None and value.origin.source is not Source.OUTPUT:
                    self._add(self.idle, value, operand, node, None, None, info.spot, fed=True, called=name)
            elif inside and place.on_host and here.on_host and _made_in_module(value):
                self._add(self.idle, value, operand, node, None, None, None)
        if place.on_host and not inside and not operands:
            self._fed_records(node, module, arguments, name, looped)

    def _fed_records(self, node: cst.CSTNode, module: Module, arguments: Arguments, name: str, looped: bool) -> None:
        """A model on the host is given an object that holds tensors of the host: `model(data)`."""
        for argument in arguments:
            if not isinstance(argument.value, Instance):
                continue
            ref = argument.value.ref
            held = [self.run.heap.attribute(ref, key) for key in self.run.objects[ref].names]
            first = next((v for v in held if isinstance(v, Tensor | Batch) and v.place.on_host), None)
            if first is not None:
                meets = Meets(argument.node, self.site(node), name, None, root_name(argument.node))
                feed = Feed(module.ref, meets, False, first.origin, self.run.frame, name, looped)
                self.feeds.setdefault(module.ref, []).append(feed)

    def fed_symbol(self, node: cst.CSTNode, symbol: str, arguments: Arguments) -> None:
        """Something whose place is not known is called with a batch: evidence of where it lives."""
        run = self.run
        if run.offline or run.owned or not run.frame.loops:
            return
        name = dotted(node.func) if isinstance(node, cst.Call) else ""
        if not name or not self.uses.as_module(name):
            return
        key = (run.frame.file, symbol if ".self." in symbol else symbol.rpartition(".")[2])
        evidence = self.evidence.setdefault(key, Evidence())
        for operand, value in _tensors_in(arguments):
            if value.place.on_device and isinstance(value, Batch) and value.moved_from is not None:
                evidence.moved.append(self.site(node))
            elif (
                value.place.where in (Where.HOST, Where.SYMBOL)
                and value.origin is not None
                and value.origin.source is Source.LOADER
                and any(loop.over_batches for loop in run.frame.loops)
            ):
                meets = Meets(
                    operand,
                    self.site(node),
                    name,
                    None,
                    value.origin.part or self._name_of(operand),
                    value.origin.bound,
                    others=_bound_by(other for other in value.origin.others if other.part == value.origin.part),
                )
                evidence.unmoved.append((value.origin, meets, run.frame))

    def put_in_loader(self, value: Value) -> None:
        """A tensor that a dataset is made of: workers and pinned memory want it on the host."""
        if isinstance(value, Tensor | Batch) and value.origin is not None:
            self.loaded.add(value.origin.spot.node)

    def model_moved(self, ref: int, node: cst.CSTNode) -> None:
        self.moved_at.setdefault(ref, self.run.spot(node))
        self.order.moved(ref, node)

    def symbol_moved(self, symbol: str, place: Placement, node: cst.CSTNode) -> None:
        self.device_used = self.device_used or place.on_device

    # -- reads by the host --------------------------------------------------------------------------------------

    def host_reads(
        self,
        node: cst.CSTNode,
        operand: cst.BaseExpression | None,
        value: Value,
        reader: str = "numpy",
        parts: bool = False,
    ) -> None:
        if operand is None or self.run.offline or not isinstance(value, Tensor | Batch) or not value.place.on_device:
            return
        grad = isinstance(value, Tensor) and value.grad
        self.reads[node] = HostReadsDevice(self.site(node), operand, grad, reader, value.place.device, parts)

    # -- kinds by use -------------------------------------------------------------------------------------------


def _called_model(node: cst.CSTNode, info: objects_of.Object) -> str:
    """The text of the model that is called: `vae` for `vae(x)`, `vae.decode(x)` and `functional_call(vae, p, x)`."""
    if not isinstance(node, cst.Call):
        return ""
    func = node.func
    if isinstance(func, cst.Attribute):
        name = func.attr.value
        if name in {"forward", "__call__"} or (info.cls is not None and info.cls.method(name) is not None):
            return dotted(func.value)
    if dotted(func).rpartition(".")[2] == "functional_call" and node.args:
        return dotted(node.args[0].value)
    return dotted(func)


def _made_in_module(value: Tensor | Batch) -> bool:
    """Made by a factory in a method of a module: it will not follow when the module moves."""
    origin = value.origin
    return isinstance(value, Tensor) and origin is not None and origin.source is Source.FACTORY and origin.in_module


def _tensors_in(arguments: Arguments) -> Iterator[tuple[cst.BaseExpression, Tensor | Batch]]:
    """The tensors that a call is given: plain, in a display, or in a variable that holds several."""
    for argument in arguments:
        yield from _tensors_of(argument.node, argument.value)


def _tensors_of(node: cst.BaseExpression, value: Value) -> Iterator[tuple[cst.BaseExpression, Tensor | Batch]]:
    match value:
        case Tensor() | Batch():
            yield node, value
        case Items(items=tuple(items)) if isinstance(node, cst.Tuple | cst.List) and len(items) == len(node.elements):
            for element, item in zip(node.elements, items, strict=True):
                yield from _tensors_of(element.value, item)
        case Items(items=tuple(items)) if len(items) <= 8:
            for item in items:
                if isinstance(item, Tensor | Batch):
                    yield node, item
        case Items(element=Tensor() | Batch() as inner):
            yield node, inner
        case Table(entries=dict(entries)):
            for item in entries.values():
                if isinstance(item, Tensor | Batch):
                    yield node, item
        case Table(element=Tensor() | Batch() as inner):
            yield node, inner


def _is_container(frame: Frame, operand: cst.BaseExpression, value: Tensor | Batch) -> bool:
    """Whether the text of an operand names something that holds the tensor, not the tensor."""
    held = frame.lookup(dotted(operand)) if isinstance(operand, cst.Name) else None
    return isinstance(held, Items | Table) or isinstance(operand, cst.Tuple | cst.List | cst.Dict | cst.ListComp)


def _bound_by(origins: Iterable[Origin]) -> tuple[Spot, ...]:
    return tuple(origin.bound for origin in origins if origin.bound is not None)
