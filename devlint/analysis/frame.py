"""Functions, classes, and the frames in which the interpreter runs their bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.devices import says_dtype
from devlint.analysis.syntax import children, descendants, dotted, root_name
from devlint.analysis.values import Unknown, Value

if TYPE_CHECKING:
    from devlint.analysis.parsed import ParsedFile, Spot
    from devlint.analysis.top_level import Waiting


@dataclass(eq=False, slots=True)
class FunctionInfo:
    """A `def` or a lambda. `owner` is the class it is a method of."""

    file: ParsedFile
    node: cst.FunctionDef | cst.Lambda
    name: str
    owner: ClassInfo | None = None
    visits: int = 0
    guarded: bool = False
    """Defined behind a condition that an accelerator is present, or made for CUDA by its name."""
    for_cuda: bool = False
    """Made for CUDA and for nothing else: a marker skips it elsewhere, or it is the method `cuda`."""
    given: dict[str, list[bool]] = field(default_factory=dict)
    """Of each parameter that the body calls: was it a module with parameters, at every call that was seen."""
    wrapper: Value | None = None
    """Of a method: what a decorator of the project made of it."""
    _called: frozenset[str] | None = None
    decorators: tuple[str, ...] = field(init=False)
    """The dotted names of its decorators; read at every call."""

    def __post_init__(self) -> None:
        self.decorators = decorator_names(self.node)

    @property
    def called(self) -> frozenset[str]:
        """The parameters that the body calls: `model` in `model(x)`."""
        if self._called is None:
            names = self.file.called_names.intersection(param.name.value for param in self.parameters)
            calls = descendants(self.node.body) if names else ()
            self._called = frozenset(
                part.func.value
                for part in calls
                if type(part) is cst.Call and type(part.func) is cst.Name and part.func.value in names
            )
        return self._called

    @property
    def parameters(self) -> list[cst.Param]:
        params = self.node.params
        return [*params.posonly_params, *params.params]

    @property
    def is_generator(self) -> bool:
        known = self.file.generators.get(self.node)
        if known is None:
            known = self.file.generators[self.node] = self.file.yields and any(
                type(node) is cst.Yield for node in own_nodes(self.node.body)
            )
        return known

    @property
    def label(self) -> str:
        return f"{self.owner.name}.{self.name}" if self.owner else self.name


@dataclass(eq=False)
class ClassInfo:
    """A `class` statement with its evaluated bases."""

    file: ParsedFile
    node: cst.ClassDef
    name: str
    bases: tuple[Value, ...] = ()
    methods: dict[str, FunctionInfo] = field(default_factory=dict)
    attributes: dict[str, Value] = field(default_factory=dict)
    is_module: bool = False
    owned: bool = False
    """A framework places what it holds (a LightningModule)."""
    guarded: bool = False
    for_cuda: bool = False
    frame: Frame | None = None
    visits: int = 0

    def lineage(self) -> Iterator[ClassInfo]:
        """This class and the classes of the project that it inherits from, in order of look-up."""
        from devlint.analysis.values import Class

        seen: set[int] = set()
        waiting = [self]
        while waiting:
            cls = waiting.pop(0)
            if id(cls) in seen:
                continue
            seen.add(id(cls))
            yield cls
            waiting.extend(base.info for base in cls.bases if isinstance(base, Class))

    def method(self, name: str) -> FunctionInfo | None:
        return next((cls.methods[name] for cls in self.lineage() if name in cls.methods), None)

    def attribute(self, name: str) -> Value | None:
        return next((cls.attributes[name] for cls in self.lineage() if name in cls.attributes), None)

    @cached_property
    def moves_itself(self) -> bool:
        """Whether any line of the class moves something: then only its inside can say what its inputs need."""
        return any(holds_a_move(cls.node) for cls in self.lineage())

    @cached_property
    def moves_its_layers(self) -> bool:
        """Whether its layers may get to a device without anybody who moves the whole: while it is made, or by a method.

        `x + self.table.to(x.device)` in a `forward` moves none of them.
        """
        return any(
            holds_a_move(method.node) if name == "__init__" else _moves_in_place(method)
            for cls in self.lineage()
            for name, method in cls.methods.items()
        )

    @cached_property
    def unknown_base(self) -> bool:
        """Whether a base class outside the project may do anything at all."""
        from devlint.analysis.values import External

        for cls in self.lineage():
            for base in cls.bases:
                if isinstance(base, Unknown):
                    return True
                if isinstance(base, External) and not base.name.startswith(("torch.", "object", "abc.", "typing.")):
                    return True
        return False


def _moves_in_place(method: FunctionInfo) -> bool:
    """`self.to(device)`, `self.layer.cuda()` as a statement, or bound to an attribute."""
    if not method.parameters:
        return False
    own = method.parameters[0].name.value
    for node in own_nodes(method.node.body):
        match node:
            case cst.Expr(value=cst.Call(func=cst.Attribute(value=receiver, attr=cst.Name(value="to" | "cuda")))):
                if root_name(receiver) == own:
                    return True
            case cst.Assign(targets=[cst.AssignTarget(target=cst.Attribute() as target)], value=value):
                if root_name(target) == own and holds_a_move(value):
                    return True
    return False


def decorator_names(node: cst.FunctionDef | cst.ClassDef | cst.Lambda) -> tuple[str, ...]:
    """The dotted names of the decorators of a definition, called or not."""
    if isinstance(node, cst.Lambda):
        return ()
    names = (dotted(d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator) for d in node.decorators)
    return tuple(name for name in names if name)


_MOVES_STAND_IN = frozenset({cst.Call, cst.Attribute, cst.Arg})
_MOVING = frozenset({"to", "cuda", "cpu", "device", "to_device", "type_as", "is_cuda", "get_device"})


def holds_a_move(node: cst.CSTNode) -> bool:
    """Whether anything in a node moves something, or names a device to do so.

    `torch.arange(n, device=x.device)` follows `x` and moves nothing.
    """
    harmless: set[int] = set()
    for part in descendants(node):
        if type(part) not in _MOVES_STAND_IN:
            continue
        match part:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="to")) as func, args=[cst.Arg(value=target)]):
                if says_dtype(dotted(target)):
                    harmless.add(id(func))
            case cst.Arg(keyword=cst.Name(value="device"), value=cst.Attribute(attr=cst.Name(value="device")) as read):
                harmless.add(id(read))
            case cst.Attribute(attr=cst.Name(value=name)) if name in _MOVING and id(part) not in harmless:
                return True
            case cst.Arg(keyword=cst.Name(value="device")):
                return True
    return False


_SCOPES = frozenset({cst.FunctionDef, cst.ClassDef, cst.Lambda})


def own_nodes(body: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The nodes of a body, without those of the functions and classes defined in it."""
    waiting: list[cst.CSTNode] = [body]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(child for child in children(node) if type(child) not in _SCOPES)


@dataclass(eq=False)
class Frame:
    """One running body: a module, a class or a function call."""

    file: ParsedFile
    env: dict[str, Value]
    function: FunctionInfo | None = None
    cls: ClassInfo | None = None
    outer: Frame | None = None
    """The frame whose names this one sees (the closure)."""
    caller: Frame | None = None
    call: Spot | None = None
    """The call that runs this frame."""
    receiver: Value | None = None
    guard: int = 0
    """How many conditions around here hold only where an accelerator is present."""
    for_cuda: int = 0
    """How many things around here are made for CUDA and for nothing else."""
    unset: tuple[str, ...] = ()
    """Parameters that a condition around here has found to be None: what is assigned to them is a default."""
    offline: int = 0
    """How many conditions around here hold only where no accelerator is present."""
    owned: bool = False
    symbolic: bool = False
    statement: cst.CSTNode | None = None
    loops: list[Loop] = field(default_factory=list)
    returns: list[tuple[Value, bool]] = field(default_factory=list)
    yields: list[Value] = field(default_factory=list)
    bound: dict[str, Binding] = field(default_factory=dict)
    binders: set[cst.CSTNode] = field(default_factory=set)
    """The statements that have bound a name so far."""
    globals_: set[str] = field(default_factory=set)
    changed_in_place: set[str] = field(default_factory=set)
    """Names whose lists and dicts the body has changed, and that it has not bound anew since."""
    waiting: Waiting | None = None
    """Of the top level of an imported file: the statements that nothing has asked for yet."""

    @property
    def module_frame(self) -> Frame:
        frame: Frame = self
        while frame.outer is not None:
            frame = frame.outer
        return frame

    def lookup(self, name: str) -> Value | None:
        frame: Frame | None = self
        while frame is not None:
            if name in frame.env and (frame.cls is None or frame is self):
                return frame.env[name]
            frame = frame.outer
        return None

    def binds_by(self, statement: cst.CSTNode) -> bool:
        """Whether `statement` has bound a name of this frame."""
        return statement in self.binders

    def chain(self) -> Iterator[Frame]:
        """This frame and the frames that called it, innermost first."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.caller


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop that is running: the statement or comprehension, and whether its iterable is a loader."""

    node: cst.CSTNode
    over_batches: bool


@dataclass(frozen=True, slots=True)
class Binding:
    """The statement that bound a name last, and the expression it was bound to where that is its whole value."""

    statement: cst.CSTNode
    value: cst.BaseExpression | None
