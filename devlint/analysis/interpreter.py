"""The abstract interpreter: it runs a file from top to bottom on values that are kinds and placements.

A call of a function of the project runs its body with the values of the arguments, so a fact that hangs on a parameter
is decided at the call. Functions that no code calls are run once more with their parameters unknown. Every bound that
is hit makes values Unknown, never an exception.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis import heap as objects_of
from devlint.analysis.frame import ClassInfo, Frame, FunctionInfo, Loop
from devlint.analysis.guards import Truth
from devlint.analysis.heap import Heap, Key, Object
from devlint.analysis.meetings import Meetings
from devlint.analysis.parsed import ParsedFile, Spot
from devlint.analysis.paths import returned_on_either
from devlint.analysis.placement import HOST, UNKNOWN, Placement, join, wherever
from devlint.analysis.top_level import STAR, Waiting
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    Class,
    External,
    Instance,
    Items,
    Lazy,
    Module,
    Unknown,
    Value,
    join_all,
    join_values,
)

if TYPE_CHECKING:
    from devlint.analysis.flow_view import FlowView
    from devlint.analysis.project import Project

STEPS_PER_FILE = 12_000
"""Statements interpreted for one checked file, calls included. Past that no call is followed any more."""
MAX_NESTING = 60
"""Expressions within expressions; deeper ones give Unknown."""


@dataclass(frozen=True, slots=True)
class Side:
    """What one side of a branch left: whether it ended early, its names, and what it wrote to the heap."""

    ended: bool
    env: dict[str, Value]
    written: dict[Key, object]


class Interpreter:
    """Runs one checked file, and whatever of the project it calls."""

    def __init__(self, project: Project, entry: ParsedFile) -> None:
        from devlint.analysis.expressions import EXPRESSIONS
        from devlint.analysis.statements import STATEMENTS

        self._expressions, self._statements = EXPRESSIONS, STATEMENTS
        self.project = project
        self.entry = entry
        self.heap = Heap()
        self.objects: dict[int, Object] = {}
        self.meetings = Meetings(self)
        self.modules: dict[ParsedFile, Frame] = {}
        self.files: dict[Path, ParsedFile] = {}
        """The files of `modules`, by path."""
        self.functions: dict[cst.CSTNode, FunctionInfo] = {}
        self.classes: dict[cst.CSTNode, ClassInfo] = {}
        self.view: FlowView | None = None
        """Looks on, where somebody asks what is believed at a line."""
        self.default_place: Placement | None = None
        self.resolving: set[tuple[Path, str]] = set()
        """Imports that are being looked up: a cycle ends in Unknown."""
        self.plain_calls: dict[FunctionInfo, Value] = {}
        """What functions gave whose arguments told nothing, in code that no call decides."""
        self.grad_off = 0
        """How many `torch.no_grad()` blocks are open."""
        self.steps = 0
        self.nesting = 0
        self.dead: set[cst.CSTNode] = set()
        self._refs = count(1)
        self.frame = Frame(entry, {})

    @property
    def exhausted(self) -> bool:
        return self.steps > STEPS_PER_FILE

    def run(self) -> None:
        """The whole file: its body as a script, then the functions and methods that nothing has called."""
        frame = self.run_module(self.entry)
        self.frame = frame
        seen: set[cst.CSTNode] = set()
        while new := [node for node in (*self.functions, *self.classes) if node not in seen]:
            seen.update(new)
            for node in new:
                if (info := self.functions.get(node)) is not None:
                    if info.visits == 0 and info.owner is None and info.file is self.entry:
                        self._run_symbolically(info, frame)
                elif self.classes[node].file is self.entry:
                    self._run_class_symbolically(self.classes[node])

    def run_module(self, file: ParsedFile) -> Frame:
        """The frame of a file's top level, run once; of an imported file, as far as its names are asked for."""
        if (known := self.modules.get(file)) is not None:
            return known
        imported = file is not self.entry
        frame = self.modules[file] = Frame(
            file, {}, waiting=Waiting(dict(file.top_level.by_name)) if imported else None
        )
        self.files[file.path] = file
        with self.inside(frame):
            self.execute(file.top_level.first if imported else file.module.body)
        return frame

    def global_of(self, frame: Frame, name: str) -> Value | None:
        """A name of the top level that `frame` runs."""
        waiting = frame.waiting
        if waiting is None:
            return frame.env.get(name)
        if name in waiting.names:
            self._run_waiting(frame, waiting, name)
        elif name not in frame.env and STAR in waiting.names:
            self._run_waiting(frame, waiting, STAR)
        return frame.env.get(name, waiting.kept.get(name))

    def _run_waiting(self, frame: Frame, waiting: Waiting, name: str) -> None:
        """Run what a name hangs on, whatever of the same file is running now."""
        for statement in waiting.names.pop(name):
            if statement in waiting.ran:
                continue
            waiting.ran.add(statement)
            around = (
                frame.guard,
                frame.offline,
                frame.for_cuda,
                frame.unset,
                frame.loops,
                frame.statement,
                self.grad_off,
            )
            frame.guard = frame.offline = frame.for_cuda = self.grad_off = 0
            frame.unset, frame.loops = (), []
            try:
                with self.inside(frame):
                    self.execute((statement,))
            finally:
                frame.guard, frame.offline, frame.for_cuda, frame.unset = around[:4]
                frame.loops, frame.statement, self.grad_off = around[4:]
            waiting.kept.update(frame.env)

    @contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        before, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = before

    # -- symbolic runs ------------------------------------------------------------------------------------------

    def _run_symbolically(self, info: FunctionInfo, outer: Frame, receiver: Value | None = None) -> Value:
        from devlint.analysis.calls import parameter_defaults

        env: dict[str, Value] = {}
        names = [param.name.value for param in info.parameters]
        prefix = "self" if receiver is not None else info.label
        for name in names:
            env[name] = Unknown(f"{prefix}.{name}" if receiver is None else f"{info.label}.{name}")
        if receiver is not None and names and "staticmethod" not in info.decorators:
            env[names[0]] = (
                Class(info.owner) if info.owner is not None and "classmethod" in info.decorators else receiver
            )
        for param in info.node.params.kwonly_params:
            env[param.name.value] = Unknown(f"{info.label}.{param.name.value}")
        for extra in (info.node.params.star_arg, info.node.params.star_kwarg):
            if isinstance(extra, cst.Param):
                env[extra.name.value] = UNKNOWN_VALUE
        parameter_defaults(self, info, outer)
        frame = Frame(
            info.file,
            env,
            info,
            outer=outer,
            receiver=receiver,
            symbolic=True,
            owned=outer.owned or bool(info.owner and info.owner.owned),
            guard=int(info.guarded or bool(info.owner and info.owner.guarded)),
            for_cuda=int(info.for_cuda or bool(info.owner and info.owner.for_cuda)),
        )
        info.visits += 1
        return self.run_body(frame, info)

    def _run_class_symbolically(self, cls: ClassInfo) -> None:
        waiting = [info for info in cls.methods.values() if info.visits == 0 or info.name == "__init__"]
        if not any(info.visits == 0 for info in waiting):
            return
        outer = cls.frame or self.modules[cls.file]
        receiver = self.new_object(cls.node, cls=cls, symbolic=True)
        init = cls.method("__init__")
        if init is not None:
            self._run_symbolically(init, self.modules.get(init.file, outer), receiver)
        self._forget_what_others_set(cls, receiver)
        for info in waiting:
            if info.visits == 0:
                self.heap.begin()
                self._run_symbolically(info, outer, receiver)
                self.heap.undo()

    def _forget_what_others_set(self, cls: ClassInfo, receiver: Value) -> None:
        """Of any instance, only what `__init__` sets and nobody else sets or moves is known."""
        assert isinstance(receiver, Module | Instance)
        if isinstance(receiver, Module):
            objects_of.move(self.objects, self.heap, receiver.ref, wherever(f"{cls.name}.self"))
        stored = self.project.moved_attributes(cls.file)
        for name in list(self.objects[receiver.ref].names):
            if name not in stored and not cls.unknown_base:
                continue
            value = self.heap.attribute(receiver.ref, name)
            if isinstance(value, Module):
                objects_of.move(self.objects, self.heap, value.ref, wherever(f"{cls.name}.self.{name}"))
            elif value is not None:
                self.heap.set_attribute(receiver.ref, name, Unknown(f"{cls.name}.self.{name}"))

    # -- bodies -------------------------------------------------------------------------------------------------

    def run_body(self, frame: Frame, info: FunctionInfo) -> Value:
        """Run a function's body in a frame that has its parameters, and give what it returns."""
        with self.inside(frame):
            if isinstance(info.node, cst.Lambda):
                return self.evaluate(info.node.body)
            self.execute(info.node.body.body)
        if info.is_generator:
            return Items(join_all(tuple(frame.yields)))
        preferred = [value for value, offline in frame.returns if not offline] or [value for value, _ in frame.returns]
        if any(offline for _, offline in frame.returns) and preferred:
            homes = [value for value, offline in frame.returns if offline]
            return join_present(join_all(tuple(preferred)), join_all(tuple(homes)))
        if not preferred:
            from devlint.analysis.values import Const

            return Const(None)
        result = preferred[0]
        for value in preferred[1:]:
            result = returned_on_either(info, result, value) or self.join(result, value)
        return result

    def execute(self, statements: Sequence[cst.CSTNode]) -> bool:
        """Run statements; True when control does not reach the end of them."""
        frame = self.frame
        for statement in statements:
            self.steps += 1
            frame.statement = statement
            handler = self._statements.get(type(statement))
            ended = handler is not None and handler(self, statement)
            if self.view is not None:
                self.view.after(self, statement)
            if ended:
                return True
        return False

    def evaluate(self, node: cst.BaseExpression) -> Value:
        handler = self._expressions.get(type(node))
        if handler is None or self.nesting > MAX_NESTING:
            return UNKNOWN_VALUE
        self.nesting += 1
        try:
            return handler(self, node)
        finally:
            self.nesting -= 1

    # -- branches -----------------------------------------------------------------------------------------------

    def branch(self, truth: Truth, first: Callable[[], bool], second: Callable[[], bool]) -> bool:
        """Run both sides of a condition and join what they leave; True when neither side reaches the end."""
        if truth in (Truth.TRUE, Truth.FALSE):
            taken, dead = (first, second) if truth is Truth.TRUE else (second, first)
            self._run_dead(dead)
            return taken()
        frame = self.frame
        a = self.aside(lambda: self._run_side(first, truth is Truth.PRESENT, truth is Truth.ABSENT))
        b = self.aside(lambda: self._run_side(second, truth is Truth.ABSENT, truth is Truth.PRESENT))
        if a.ended and b.ended:
            return True
        if a.ended or b.ended:
            self.resume(a if b.ended else b)
            if truth in (Truth.PRESENT, Truth.ABSENT):
                with_accelerator = (truth is Truth.PRESENT) == b.ended
                frame.guard += with_accelerator
                frame.offline += not with_accelerator
            return False
        if truth is Truth.UNKNOWN:
            self.heap.merge(a.written, b.written, self.join, join)
            frame.env = self._joined_env(a.env, b.env)
        else:
            present, absent = (a, b) if truth is Truth.PRESENT else (b, a)
            frame.env = _present_env(present.env, absent.env)
            self.heap.merge(present.written, absent.written, join_present, lambda here, _: here)
        return False

    def aside(self, side: Callable[[], bool]) -> Side:
        """Run something from the state as it is, and put the state back; what it left is returned."""
        frame = self.frame
        before = frame.env
        frame.env = before.copy()
        self.heap.begin()
        try:
            ended = side()
        finally:
            after, frame.env = frame.env, before
            written = self.heap.undo()
        return Side(ended, after, written)

    def resume(self, side: Side) -> None:
        """Go on from where a side left off."""
        self.frame.env = side.env
        self.heap.replay(side.written)

    def _run_side(self, side: Callable[[], bool], present: bool, absent: bool) -> bool:
        frame = self.frame
        guard, offline = frame.guard, frame.offline
        frame.guard += present
        frame.offline += absent
        try:
            return side()
        finally:
            frame.guard, frame.offline = guard, offline

    def _run_dead(self, side: Callable[[], bool]) -> None:
        """A side that this run does not take still holds code: run it aside, without placement facts."""
        key = getattr(side, "node", None)
        if key is None or key in self.dead:
            return
        self.dead.add(key)
        frame = self.frame
        returns, yields = len(frame.returns), len(frame.yields)
        self.aside(lambda: self._run_side(side, False, True))
        del frame.returns[returns:], frame.yields[yields:]

    def join(self, a: Value, b: Value) -> Value:
        """What a name holds after two paths; of two modules in one place the first stands for both."""
        if isinstance(a, Module) and isinstance(b, Module) and a.ref != b.ref:
            if self.place_of(a.ref) != self.place_of(b.ref):
                return UNKNOWN_VALUE
            self.objects[a.ref].alternatives.append(self.objects[b.ref].spot)
            return a
        return join_values(a, b)

    def _joined_env(self, a: dict[str, Value], b: dict[str, Value]) -> dict[str, Value]:
        if a.keys() == b.keys() and all(b[name] is value for name, value in a.items()):
            return a
        result = {**b, **a}
        for name, value in b.items():
            mine = a.get(name)
            if mine is not None and mine is not value:
                result[name] = self.join(mine, value)
        return result

    # -- objects ------------------------------------------------------------------------------------------------

    def new_object(
        self,
        node: cst.CSTNode,
        *,
        cls: ClassInfo | None = None,
        external: str = "",
        stateless: bool = False,
        symbolic: bool = False,
        module: bool | None = None,
    ) -> Module | Instance:
        ref = next(self._refs)
        is_module = cls.is_module if module is None and cls is not None else bool(module)
        frame = self.frame
        self.objects[ref] = Object(
            ref,
            Spot(frame.file, node),
            cls,
            external,
            stateless,
            frame=frame,
            statement=frame.statement,
            symbolic=symbolic,
            devices=self.meetings.devices_in_scope() if is_module and not stateless else (),
        )
        place = self.default_place or HOST
        if (cls is not None and cls.owned) or frame.owned:
            place = UNKNOWN
        self.heap.set_place(ref, place)
        if is_module or cls is None:
            return Module(ref)
        return Instance(ref, cls)

    def place_of(self, ref: int) -> Placement:
        return objects_of.place_of(self.objects, self.heap, ref)

    def move(self, ref: int, place: Placement) -> None:
        objects_of.move(self.objects, self.heap, ref, place)

    def set_attribute(self, ref: int, name: str, value: Value) -> None:
        self.objects[ref].names.add(name)
        self.heap.set_attribute(ref, name, value)
        self.meetings.containers.kept(ref, name, value)

    # -- names --------------------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Value:
        value = self.find(name)
        if isinstance(value, Lazy):
            return self.project.resolve(self, value)
        return value if value is not None else External(f"builtins.{name}")

    def find(self, name: str) -> Value | None:
        """What a name holds here, an import not followed; None where nothing in sight binds it."""
        here = frame = self.frame
        while True:
            if frame.cls is None or frame is here:
                value = frame.env.get(name) if frame.waiting is None else self.global_of(frame, name)
                if value is not None:
                    return value
            if frame.outer is None:
                return None
            frame = frame.outer

    def spot(self, node: cst.CSTNode) -> Spot:
        return Spot(self.frame.file, node)

    def function_info(self, node: cst.FunctionDef | cst.Lambda, name: str, owner: ClassInfo | None) -> FunctionInfo:
        info = self.functions.get(node)
        if info is None:
            info = self.functions[node] = FunctionInfo(self.frame.file, node, name, owner)
        return info

    def called_from(self) -> tuple[Spot, ...]:
        return tuple(frame.call for frame in self.frame.chain() if frame.call is not None)

    def _anywhere(self, what: str) -> bool:
        """Whether something is set in the running frame or in one that called it."""
        frame: Frame | None = self.frame
        while frame is not None:
            if getattr(frame, what):
                return True
            frame = frame.caller
        return False

    @property
    def guarded(self) -> bool:
        return self._anywhere("guard")

    @property
    def for_cuda(self) -> bool:
        """Whether the running code is written for CUDA and for nothing else."""
        return self.frame.file.for_cuda or any(frame.for_cuda for frame in self.frame.chain())

    @property
    def offline(self) -> bool:
        return self._anywhere("offline")

    @property
    def symbolic(self) -> bool:
        return self._anywhere("symbolic")

    @property
    def owned(self) -> bool:
        return self._anywhere("owned")

    @contextmanager
    def loop(self, node: cst.CSTNode, over_batches: bool) -> Iterator[None]:
        self.frame.loops.append(Loop(node, over_batches))
        try:
            yield
        finally:
            self.frame.loops.pop()


def join_present(present: Value, absent: Value) -> Value:
    """A value that differs by whether there is an accelerator: the one of the machine that has one counts."""
    from devlint.analysis.devices import as_device
    from devlint.analysis.values import Const, DeviceValue, Flag, join_devices, same_form

    a, b = as_device(present), as_device(absent)
    if a is not None and b is not None:
        return DeviceValue(join_devices(a, b), is_object=same_form(present, absent))
    if isinstance(present, Unknown) and isinstance(absent, Const) and absent.value is None:
        return Flag()  # `stream = torch.cuda.Stream() if ... else None`: it is there where an accelerator is
    if (isinstance(present, Const) and present.value is None) or isinstance(present, Unknown):
        return join_values(present, absent)
    return present


def _present_env(present: dict[str, Value], absent: dict[str, Value]) -> dict[str, Value]:
    result = {**absent, **present}
    for name, value in absent.items():
        mine = present.get(name)
        if mine is not None and mine is not value:
            result[name] = join_present(mine, value)
    return result
