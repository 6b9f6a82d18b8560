"""What functions of Python's own library give: `zip`, `next`, `getattr`, `functools.partial` ..."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.binding import element_of, part_of
from devlint.analysis.calls import Argument, Arguments, call_value
from devlint.analysis.handlers import external
from devlint.analysis.records import named_tuple_type
from devlint.analysis.syntax import NOT_LITERAL
from devlint.analysis.values import (
    SCALAR,
    TEXT,
    UNKNOWN_VALUE,
    Batch,
    Class,
    Const,
    DeviceValue,
    Function,
    Instance,
    Items,
    Method,
    Module,
    Super,
    Table,
    Tensor,
    Value,
    join_all,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter


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
        if len(elements) == 1 and isinstance(elements[0], Items) and elements[0].items and elements[0].names:
            columns = tuple(Items(item) for item in elements[0].items)
            return Items(join_all(columns), columns)
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
        nodes: list[cst.CSTNode] = [node] * len(values.value.items)
        if isinstance(values.node, cst.Tuple | cst.List):
            nodes = [element.value for element in values.node.elements]
        items = tuple(
            call_value(run, function.value, inner, [Argument(value, values.node)])
            for value, inner in zip(values.value.items, nodes, strict=False)
        )
        return Items(join_all(items), items)
    element = element_of(run, values.value, values.node, node)
    return Items(call_value(run, function.value, node, [Argument(element, values.node)]))


@external("builtins.list", "builtins.tuple", "builtins.set", "collections.deque")
def _sequence(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    value = next((argument.value for argument in arguments if argument.keyword in {"", "iterable"}), None)
    if value is None:
        return Items(UNKNOWN_VALUE, ())
    return value if isinstance(value, Items) else Items(element_of(run, value, node, node))


@external("builtins.dict", "collections.OrderedDict")
def _dict(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if arguments and not arguments[0].keyword:
        match arguments[0].value:
            case Table() | Batch() as held:
                return held
            case Items(element=Items(items=(_, value))):  # pairs of a key and a value
                return Table(value)
            case _:
                return Table(UNKNOWN_VALUE)
    entries: dict[object, Value] = {a.keyword: a.value for a in arguments if a.keyword}
    return Table(join_all(tuple(entries.values())), entries)


_MATH = """sqrt exp log log2 log10 pow sin cos tan atan atan2 floor ceil fabs fmod gcd prod comb factorial erf tanh
    expm1 log1p"""


@external(
    *(f"math.{name}" for name in _MATH.split()),
    *("random.random", "random.uniform", "random.randint", "random.randrange", "random.gauss"),
    *("time.time", "time.perf_counter", "time.monotonic"),
)
def _plain_number(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    return SCALAR


@external("random.sample", "random.choices", "random.choice")
def _some_of(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if not arguments or not isinstance(arguments[0].value, Items):
        return UNKNOWN_VALUE
    element = arguments[0].value.element
    return element if name.endswith("choice") else Items(element)


@external("collections.defaultdict")
def _defaultdict(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    made = call_value(run, arguments[0].value, node, []) if arguments else UNKNOWN_VALUE
    return Table(made, {})


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


@external("builtins.vars")
def _vars(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    if len(arguments) != 1:
        return UNKNOWN_VALUE
    return Method(arguments[0].value, "__dict__", node)


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
