"""What each statement does to the frame: one function a form, found by node type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import libcst as cst

from devlint.analysis.binding import bind, element_of, forget, is_over_batches, part_of, store_back
from devlint.analysis.calls import Argument, call_function
from devlint.analysis.containers import concatenated
from devlint.analysis.cuda_only import FOR_ANY_ACCELERATOR, asks_for_cuda, default_of
from devlint.analysis.devices import as_device
from devlint.analysis.frame import ClassInfo, Frame, FunctionInfo, holds_a_move
from devlint.analysis.guards import ACCELERATOR_NAME, Truth, needs_accelerator_to_fail, truth
from devlint.analysis.owners import owns
from devlint.analysis.paths import bound_on_either
from devlint.analysis.placement import UNKNOWN, Where
from devlint.analysis.syntax import descendants, dotted
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    Batch,
    Class,
    Const,
    External,
    Function,
    Instance,
    Items,
    Lazy,
    Module,
    Tensor,
    Unknown,
    Value,
    join_values,
    placement_of,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter, Side

Handler = Callable[["Interpreter", Any], bool]
STATEMENTS: dict[type, Handler] = {}


def runs(*kinds: type) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for kind in kinds:
            STATEMENTS[kind] = handler
        return handler

    return register


@runs(cst.SimpleStatementLine, cst.SimpleStatementSuite)
def simple_line(run: Interpreter, node: cst.SimpleStatementLine) -> bool:
    for small in node.body:
        handler = STATEMENTS.get(type(small))
        if handler is not None and handler(run, small):
            return True
    return False


@runs(cst.Expr)
def expression(run: Interpreter, node: cst.Expr) -> bool:
    value = run.evaluate(node.value)
    if isinstance(node.value, cst.Call):
        run.meetings.drops.discarded(node.value, value)
        return _never_returns(run, node.value)
    run.meetings.drops.discarded_display(node.value, value)
    return False


def _never_returns(run: Interpreter, call: cst.Call) -> bool:
    return dotted(call.func) in {"exit", "quit", "sys.exit", "os._exit", "pytest.skip", "self.skipTest", "pytest.exit"}


@runs(cst.Assign)
def assign(run: Interpreter, node: cst.Assign) -> bool:
    value = run.evaluate(node.value)
    for target in node.targets:
        bind(run, target.target, value, node.value)
    return False


@runs(cst.AnnAssign)
def annotated(run: Interpreter, node: cst.AnnAssign) -> bool:
    if node.value is not None:
        bind(run, node.target, run.evaluate(node.value), node.value)
    return False


@runs(cst.AugAssign)
def augmented(run: Interpreter, node: cst.AugAssign) -> bool:
    from devlint.analysis.expressions import operate

    left, right = run.evaluate(node.target), run.evaluate(node.value)
    if not isinstance(left, Items):
        result = operate(run, node, [(node.target, left), (node.value, right)])
        if isinstance(left, Tensor) and left.parameter and isinstance(result, Tensor):
            result = left  # in place: it is the parameter or the buffer that it was
        bind(run, node.target, result, None)
        return False
    run.meetings.containers.put(node.target, [right])
    more = right if isinstance(right, Items) else Items(part_of(right, 0))
    store_back(run, node.target, concatenated(left, more, again=bool(run.frame.loops)))
    return False


@runs(cst.Return)
def returns(run: Interpreter, node: cst.Return) -> bool:
    value = run.evaluate(node.value) if node.value is not None else UNKNOWN_VALUE
    run.frame.returns.append((value, run.frame.offline > 0))
    return True


@runs(cst.Raise)
def raises(run: Interpreter, node: cst.Raise) -> bool:
    if node.exc is not None:
        run.evaluate(node.exc)
    return True


@runs(cst.Continue, cst.Break)
def leaves_loop(run: Interpreter, node: cst.CSTNode) -> bool:
    return True


@runs(cst.Del)
def deletes(run: Interpreter, node: cst.Del) -> bool:
    if isinstance(node.target, cst.Name):
        forget(run, node.target.value)
    return False


@runs(cst.Assert)
def asserts(run: Interpreter, node: cst.Assert) -> bool:
    if truth(run, node.test) is Truth.PRESENT:
        run.frame.guard += 1
    return False


@runs(cst.Global)
def global_names(run: Interpreter, node: cst.Global) -> bool:
    run.frame.globals_.update(item.name.value for item in node.names)
    return False


@runs(cst.Nonlocal)
def nonlocal_names(run: Interpreter, node: cst.Nonlocal) -> bool:
    for item in node.names:
        if (value := run.find(item.name.value)) is not None:
            run.frame.env.setdefault(item.name.value, value)
    return False


@runs(cst.Import)
def imports(run: Interpreter, node: cst.Import) -> bool:
    for alias in node.names:
        name = dotted(alias.name)
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            bind_name(run, alias.asname.name.value, run.project.imported(run, name))
        else:
            head = name.partition(".")[0]
            if not isinstance(run.frame.env.get(head), External | Lazy):
                bind_name(run, head, run.project.imported(run, head))
        if owns(name):
            run.meetings.owner_seen(run.frame.file)
    return False


@runs(cst.ImportFrom)
def imports_from(run: Interpreter, node: cst.ImportFrom) -> bool:
    module = "." * len(node.relative) + (dotted(node.module) if node.module is not None else "")
    if isinstance(node.names, cst.ImportStar):
        for name, value in run.project.star(run, module).items():
            bind_name(run, name, value)
        return False
    for alias in node.names:
        name = dotted(alias.name)
        target = alias.asname.name.value if alias.asname and isinstance(alias.asname.name, cst.Name) else name
        bind_name(run, target, run.project.imported_name(run, module, name))
        run.meetings.portability.name_imported(alias, f"{module}.{name}")
        if owns(f"{module}.{name}"):
            run.meetings.owner_seen(run.frame.file)
    return False


def bind_name(run: Interpreter, name: str, value: Value) -> None:
    run.frame.env[name] = value


@runs(cst.If)
def condition(run: Interpreter, node: cst.If) -> bool:
    outcome = truth(run, node.test)
    for_cuda = asks_for_cuda(node.test)
    unset = default_of(node.test)

    ends = False
    left: list[dict[str, Value]] = []
    """The names as either side has left them."""

    def body() -> bool:
        nonlocal ends
        frame = run.frame
        before = frame.unset
        frame.guard += for_cuda
        frame.for_cuda += for_cuda
        frame.unset = (*before, unset) if unset else before
        try:
            ends = run.execute(_suite(node.body))
            left.append(frame.env)
        finally:
            frame.guard -= for_cuda
            frame.for_cuda -= for_cuda
            frame.unset = before
        return ends

    def orelse() -> bool:
        stopped = False
        match node.orelse:
            case cst.If() as further:
                stopped = run.execute([further])
            case cst.Else(body=block):
                stopped = run.execute(_suite(block))
        left.append(run.frame.env)
        return stopped

    body.node, orelse.node = node.body, node.orelse  # type: ignore[attr-defined]
    stops = run.branch(outcome, body, orelse)
    if outcome is Truth.UNKNOWN and len(left) == 2 and not stops:
        for name, value in bound_on_either(node, left[0], left[1], run.frame.file).items():
            if name in run.frame.env and run.frame.env[name] not in (left[0].get(name), left[1].get(name)):
                bind_name(run, name, value)
    if ends and outcome is Truth.UNKNOWN and node.orelse is None and isinstance(node.test, cst.BooleanOperation):
        run.frame.guard += needs_accelerator_to_fail(run, node.test)
    return stops


def _suite(body: cst.BaseSuite) -> list[cst.CSTNode]:
    return [body] if isinstance(body, cst.SimpleStatementSuite) else list(body.body)


MOST_UNROLLED = 8
"""A loop over a display of at most so many models or names runs once for each."""


@runs(cst.For)
def for_loop(run: Interpreter, node: cst.For) -> bool:
    iterable = run.evaluate(node.iter)
    with run.loop(node, is_over_batches(run, iterable)):
        if (items := _worth_unrolling(iterable)) is not None:
            for item in items:
                bind(run, node.target, item, None, loop=node)
                run.execute(_suite(node.body))
        else:
            _turns(
                run,
                node.body,
                lambda: bind(run, node.target, element_of(run, iterable, node.target, node), None, loop=node),
            )
    _moved_by_parameter(run, node)
    if node.orelse is not None:
        return run.execute(_suite(node.orelse.body))
    return False


def _worth_unrolling(iterable: Value) -> tuple[Value, ...] | None:
    if not isinstance(iterable, Items) or iterable.items is None or not 1 < len(iterable.items) <= MOST_UNROLLED:
        return None
    kinds = [value.items or () if isinstance(value, Items) else (value,) for value in iterable.items]
    if any(isinstance(part, Module | Instance | Class) for parts in kinds for part in parts):
        return iterable.items
    named = all(parts and isinstance(parts[0], Const) and isinstance(parts[0].value, str) for parts in kinds)
    return iterable.items if named else None


def _moved_by_parameter(run: Interpreter, node: cst.For) -> None:
    """`for p in net.parameters(): p.data = p.data.to(device)`: where the module is now, nobody can tell."""
    match node.iter:
        case cst.Call(func=cst.Attribute(value=owner, attr=cst.Name(value=name))) if name in _PARTS_OF_MODULES:
            module = run.evaluate(owner)
            moves = {part.attr.value for part in descendants(node.body) if isinstance(part, cst.Attribute)}
            if isinstance(module, Module) and moves & {"to", "cuda", "cpu", "to_device"}:
                run.move(module.ref, UNKNOWN)


_PARTS_OF_MODULES = frozenset(
    "parameters buffers modules children named_parameters named_modules named_children".split()
)


@runs(cst.While)
def while_loop(run: Interpreter, node: cst.While) -> bool:
    with run.loop(node, False):
        _turns(run, node.body, lambda: truth(run, node.test))
    if node.orelse is not None:
        return run.execute(_suite(node.orelse.body))
    return False


def _turns(run: Interpreter, body: cst.BaseSuite, begin: Callable[[], object]) -> None:
    """Run a loop body: once, and once more where a name that existed before changed its place.

    Both turns are real paths, so what they show is true; a loop is taken to run at least once.
    """
    frame = run.frame
    guard, offline = frame.guard, frame.offline
    before = {name: placement_of(value) for name, value in frame.env.items()}
    for turn in range(2):
        begin()
        run.execute(_suite(body))
        frame.guard, frame.offline = guard, offline
        changed = any(
            name in frame.env and placement_of(frame.env[name]) != place and place.where is not Where.UNKNOWN
            for name, place in before.items()
        )
        if turn or not changed or len(frame.loops) > 3 or run.exhausted:
            return


@runs(cst.Try, cst.TryStar)
def try_block(run: Interpreter, node: cst.Try | cst.TryStar) -> bool:
    forgiving = any(_forgives(handler) for handler in node.handlers)

    def body() -> bool:
        run.frame.guard += forgiving
        try:
            ended = run.execute(_suite(node.body))
        finally:
            run.frame.guard -= forgiving
        return ended or (node.orelse is not None and run.execute(_suite(node.orelse.body)))

    def handle(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
        if handler.name is not None and isinstance(handler.name.name, cst.Name):
            run.frame.env[handler.name.name.value] = UNKNOWN_VALUE
        return run.execute(_suite(handler.body))

    sides = [run.aside(body), *(run.aside(lambda h=handler: handle(h)) for handler in node.handlers)]  # type: ignore[misc]
    going_on = next((side for side in sides if not side.ended), None)
    if going_on is not None:
        run.resume(going_on)
        _fall_back(run, [side for side in sides if side is not going_on and not side.ended])
    if node.finalbody is not None and run.execute(_suite(node.finalbody.body)):
        return True
    return going_on is None


def _forgives(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> bool:
    """Whether a handler goes on after the error that a missing accelerator raises."""
    if any(isinstance(part, cst.Raise) for part in descendants(handler.body)):
        return False
    if handler.type is None:
        return True
    caught = {part.value for part in descendants(handler.type) if isinstance(part, cst.Name)}
    return bool(caught & {"Exception", "BaseException", "RuntimeError", "AssertionError", "AttributeError", "OSError"})


def _fall_back(run: Interpreter, others: list[Side]) -> None:
    """What a handler leaves: a device that falls back to its own; a host tensor that it binds as the body does."""
    from devlint.analysis.interpreter import join_present

    for side in others:
        for name, value in side.env.items():
            mine = run.frame.env.get(name)
            if mine is None or mine is value:
                continue
            if as_device(mine) is not None and as_device(value) is not None:
                run.frame.env[name] = join_present(mine, value)
            elif isinstance(mine, Tensor | Batch) and isinstance(value, Tensor | Batch) and mine.place == value.place:
                run.frame.env[name] = join_values(mine, value)


@runs(cst.With)
def with_block(run: Interpreter, node: cst.With) -> bool:
    default, grad_off = run.default_place, run.grad_off
    for item in node.items:
        value = run.evaluate(item.item)
        run.grad_off += switches_grad_off(item.item)
        if (place := as_device(value)) is not None:
            run.default_place = place
        if item.asname is not None:
            bind(run, item.asname.name, value, None)
    try:
        return run.execute(_suite(node.body))
    finally:
        run.default_place, run.grad_off = default, grad_off


def switches_grad_off(node: cst.BaseExpression) -> bool:
    """`torch.no_grad()`, `torch.inference_mode()`, called or not, under any alias of torch."""
    name = dotted(node.func if isinstance(node, cst.Call) else node)
    return name.rpartition(".")[2] in {"no_grad", "inference_mode"}


@runs(cst.Match)
def match_block(run: Interpreter, node: cst.Match) -> bool:
    run.evaluate(node.subject)
    cases = list(node.cases)

    def one_of(rest: list[cst.MatchCase]) -> bool:
        first, *further = rest

        def body() -> bool:
            for part in descendants(first.pattern):
                if isinstance(part, cst.MatchAs | cst.MatchStar) and part.name is not None:
                    run.frame.env[part.name.value] = UNKNOWN_VALUE
            return run.execute(_suite(first.body))

        return run.branch(Truth.UNKNOWN, body, lambda: one_of(further) if further else False)

    return one_of(cases) if cases else False


@runs(cst.FunctionDef)
def defines_function(run: Interpreter, node: cst.FunctionDef) -> bool:
    cls = run.frame.cls
    info = run.function_info(node, node.name.value, cls)
    decorators = [(decorator, run.evaluate(decorator.decorator)) for decorator in node.decorators]
    info.for_cuda = info.for_cuda or run.for_cuda or info.name == "cuda" or _skipped_elsewhere(run, node.decorators)
    promises = ACCELERATOR_NAME.search(info.name) is not None
    info.guarded = info.guarded or run.guarded or info.for_cuda or promises
    wrapped = _decorated(run, info, decorators)
    if cls is not None:
        cls.methods[info.name] = info
        info.wrapper = wrapped
    run.frame.env[info.name] = wrapped or Function(info, run.frame)
    return False


def _decorated(run: Interpreter, info: FunctionInfo, decorators: Sequence[tuple[cst.Decorator, Value]]) -> Value | None:
    """What the decorators of the project make of a function; None where they leave it as it is.

    A decorator that cannot be followed leaves it as it is, unless it moves something.
    """
    bare = value = Function(info, run.frame, bare=True)
    result: Value = value
    for decorator, called in reversed(decorators):
        if not isinstance(called, Function) or not isinstance(result, Function):
            continue
        made = call_function(run, called, decorator, [Argument(result, decorator.decorator)])
        if isinstance(made, Function):
            result = made
        elif holds_a_move(called.info.node):
            result = UNKNOWN_VALUE
    return None if result is bare else result


def _skipped_elsewhere(run: Interpreter, decorators: Sequence[cst.Decorator]) -> bool:
    """Whether decorators run something only where CUDA is: `skipif`, `requires_gpu` ..."""
    return any(
        ACCELERATOR_NAME.search(run.frame.file.text(decorator.decorator)) is not None
        and not _holds_anywhere(run, decorator.decorator)
        for decorator in decorators
    )


def _holds_anywhere(run: Interpreter, decorator: cst.BaseExpression) -> bool:
    """Whether a decorator asks for an accelerator, whichever it is."""
    named = run.evaluate(decorator.func if isinstance(decorator, cst.Call) else decorator)
    return isinstance(named, External) and named.name in FOR_ANY_ACCELERATOR


@runs(cst.ClassDef)
def defines_class(run: Interpreter, node: cst.ClassDef) -> bool:
    info = run.classes.get(node)
    if info is None:
        info = run.classes[node] = ClassInfo(run.frame.file, node, node.name.value)
    info.bases = tuple(run.evaluate(arg.value) for arg in node.bases if arg.keyword is None)
    decorators = [(decorator.decorator, run.evaluate(decorator.decorator)) for decorator in node.decorators]
    info.for_cuda = _skipped_elsewhere(run, node.decorators) or run.for_cuda
    info.guarded = info.for_cuda or run.guarded or "cuda" in info.name.lower()
    body = Frame(run.frame.file, {}, cls=info, outer=run.frame, caller=run.frame, owned=run.frame.owned)
    info.frame = run.frame
    with run.inside(body):
        run.execute(_suite(node.body))
    info.attributes = {name: value for name, value in body.env.items() if name not in info.methods}
    info.is_module, info.owned = _kind_of_class(info)
    run.frame.env[info.name] = Class(info)
    for expression, decorator in reversed(decorators):
        if isinstance(decorator, Function):  # it may put the class into a table of them
            call_function(run, decorator, expression, [Argument(Class(info), expression)])
    return False


def _kind_of_class(info: ClassInfo) -> tuple[bool, bool]:
    """Whether instances are modules, and whether a framework places them."""
    module = owned = False
    for base in info.bases:
        match base:
            case Class(info=other):
                module, owned = module or other.is_module, owned or other.owned
            case External(name=name):
                last = name.rpartition(".")[2]
                owned = owned or owns(name)
                module = (
                    module
                    or owns(name)
                    or (name.startswith("torch.nn.") and last[:1].isupper())
                    or last.endswith("Module")
                )
            case Unknown():
                pass
    if not module and info.method("forward") is not None:
        module = any(_may_be_module(base) for cls in info.lineage() for base in cls.bases)
    return module, owned


def _may_be_module(base: Value) -> bool:
    """A base class that is not seen: with a `forward` below it, most likely a module."""
    match base:
        case Unknown():
            return True
        case External(name=name):
            return not name.startswith(("torch.autograd", "builtins", "abc.", "typing.", "enum."))
        case _:
            return False
