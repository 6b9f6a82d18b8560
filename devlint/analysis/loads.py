"""`torch.load` without `map_location`, where what is loaded is a checkpoint."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.facts import LoadUse, UnmappedLoad
from devlint.analysis.parsed import is_test_file
from devlint.analysis.syntax import children, descendants, dotted, keyword, positional

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

LOADS = frozenset(["torch.load", "torch.serialization.load", "torch.jit.load"])
_CHECKPOINT_NAME = re.compile(
    r"(^|_)(ckpt|chkpt|chkpnt|checkpoints?|state_dicts?|weights|snapshot)(_|\d*$)", re.IGNORECASE
)
_CHECKPOINT_KEY = re.compile(
    r"^(.*_)?(state_dict|model|net|network|weights|optimi[sz]er|optim|scheduler|generator|discriminator|encoder|decoder)"
    r"(_state)?(_dict)?$"
)
_MODEL_NAME = re.compile(r"(^|_)(model|net|network|classifier|backbone)\d*$", re.IGNORECASE)
_CHECKPOINT_PATH = re.compile(
    r"ckpt|checkpoint|weights|state_?dict|pretrained|resume|(^|[_.])model_?(path|file|name|dir)?$|\.pth\b|\.ckpt\b",
    re.IGNORECASE,
)
_MODULE_METHODS = frozenset("eval train parameters named_parameters state_dict".split())
_MOVES = frozenset("to cuda half float cpu".split())
"""Methods of modules and of tensors: what is loaded may be either."""
_DEVICE_WORD = re.compile(r"\bcuda\b|\.to\(|device|accelerator|\bmps\b")
_HOME = re.compile(r"\.cpu\(\)|\.to\(\s*[\"']cpu|\.to\(torch\.device\([\"']cpu")
_RANDOM_STATE = re.compile(r"rng|random_state", re.IGNORECASE)
BEFORE_A_SAVE = 300
"""Characters before a `torch.save` in which a move home is looked for."""


class Loads:
    """The loads of one run, by the call."""

    def __init__(self, run: Interpreter) -> None:
        self.run = run
        self.found: dict[cst.CSTNode, UnmappedLoad] = {}
        self._seen: set[cst.CSTNode] = set()

    def called(self, node: cst.Call, name: str) -> None:
        """A call of something of a library, by its dotted name."""
        if name not in LOADS or any(arg.star for arg in node.args) or not node.args:
            return
        if keyword(node, "map_location") is not None or len(positional(node)) > 1:
            return
        if self.run.guarded or self.run.offline or node in self._seen or self.run.default_place is not None:
            return
        self._seen.add(node)
        file = self.run.frame.file
        if is_test_file(file) or _only_of_the_host(file.source.text):
            return
        body = self._body()
        use = _use_of(node, body, name)
        if use is None:
            return
        text = file.text(body)
        self.found[node] = UnmappedLoad(self.run.meetings.site(node), node, use, _RANDOM_STATE.search(text) is not None)

    def _body(self) -> cst.CSTNode:
        function = self.run.frame.function
        return function.node if function is not None else self.run.frame.file.module


def _only_of_the_host(text: str) -> bool:
    """Whether all that a file saves was on the host: it never speaks of a device, or brings home what it saves."""
    saves = [match.start() for match in re.finditer(r"\btorch\.save\(", text)]
    if not saves:
        return False
    if _DEVICE_WORD.search(text) is None:
        return True
    return all(_HOME.search(text[max(0, at - BEFORE_A_SAVE) : text.find("\n", at) + 1 or None]) for at in saves)


def _use_of(call: cst.Call, body: cst.CSTNode, name: str) -> LoadUse | None:
    """What becomes of the loaded object, as the function around shows it; None where nothing says a checkpoint."""
    if name == "torch.jit.load":
        return None if _saved_here(call, body) else LoadUse.MODULE
    path = _path_to(body, call)
    target = _bound_name(path, call)
    named = _named_for_a_checkpoint(call, body, path)
    for index, node in enumerate(path):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="load_state_dict"))) if node is not call:
                return LoadUse.STATE
            case cst.Attribute(attr=cst.Name(value=method), value=inner) if inner is call and method in _MODULE_METHODS:
                return LoadUse.MODULE
            case cst.Subscript(value=inner) if inner is call and _keys(node):
                return LoadUse.STATE if _given_to_state(path[:index]) else LoadUse.CHECKPOINT
    if not target:
        return named
    if _MODEL_NAME.search(target.rpartition(".")[2]):
        return LoadUse.MODULE
    return _use_of_name(target, body) or named


def _named_for_a_checkpoint(call: cst.Call, body: cst.CSTNode, path: list[cst.CSTNode]) -> LoadUse | None:
    """Whether the path, or the function that returns what it loads, is named for a checkpoint."""
    words = [
        part.value if isinstance(part, cst.Name) else str(part.raw_value)
        for part in descendants(call.args[0].value)
        if isinstance(part, cst.Name | cst.SimpleString)
    ]
    if isinstance(body, cst.FunctionDef) and any(isinstance(node, cst.Return) for node in path):
        words.append(body.name.value)
    return LoadUse.CHECKPOINT if any(_CHECKPOINT_PATH.search(word) for word in words) else None


def _saved_here(call: cst.Call, body: cst.CSTNode) -> bool:
    """Whether the same function writes the script that it reads: on the machine that has the device."""
    path = call.args[0].value
    return any(
        isinstance(node, cst.Call) and dotted(node.func) == "torch.jit.save" and _mentions_alike(node, path)
        for node in descendants(body)
    )


def _mentions_alike(call: cst.Call, path: cst.BaseExpression) -> bool:
    return any(arg.value.deep_equals(path) for arg in call.args)


def _given_to_state(path: list[cst.CSTNode]) -> bool:
    return any(
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "load_state_dict"
        for node in path
    )


def _use_of_name(name: str, body: cst.CSTNode) -> LoadUse | None:
    """What the function does with the name that holds the loaded object."""
    into_state = others = keyed = False
    for node in descendants(body):
        match node:
            case cst.Call(func=cst.Attribute(attr=cst.Name(value="load_state_dict")), args=args):
                into_state = into_state or any(_mentions(arg.value, name) for arg in args)
            case cst.Attribute(value=value, attr=cst.Name(value=method)) if dotted(value) == name:
                if method in _MODULE_METHODS:
                    return LoadUse.MODULE
                others = others or method not in {"items", "keys", "get"}
            case cst.Subscript(value=value) if dotted(value) == name:
                keyed = keyed or _keys(node)
    if into_state:
        return LoadUse.CHECKPOINT if others else LoadUse.STATE
    named = _CHECKPOINT_NAME.search(name.rpartition(".")[2]) is not None
    return LoadUse.CHECKPOINT if keyed or named else None


def _keys(node: cst.Subscript) -> bool:
    """`["state_dict"]`, `["model"]`."""
    match node.slice:
        case [cst.SubscriptElement(slice=cst.Index(value=cst.SimpleString() as key))]:
            return isinstance(key.raw_value, str) and _CHECKPOINT_KEY.match(key.raw_value) is not None
        case _:
            return False


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return any(dotted(part) == name for part in descendants(node) if isinstance(part, cst.Name | cst.Attribute))


def _bound_name(path: list[cst.CSTNode], call: cst.Call) -> str:
    """The name that is bound to the loaded object as a whole."""
    value: cst.CSTNode = call
    for node in reversed(path):
        match node:
            case cst.Attribute(attr=cst.Name(value=method), value=inner) if inner is value and method in _MOVES:
                value = node
            case cst.Call(func=func) if func is value:
                value = node
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=given) if given is value:
                return dotted(target)
            case cst.AnnAssign(target=target, value=given) if given is value:
                return dotted(target)
            case cst.NamedExpr(target=target, value=given) if given is value:
                return dotted(target)
    return ""


def _path_to(outer: cst.CSTNode, inner: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes from `outer` down to `inner`."""
    waiting: list[list[cst.CSTNode]] = [[outer]]
    while waiting:
        path = waiting.pop()
        if path[-1] is inner:
            return path
        waiting.extend([*path, child] for child in children(path[-1]))
    return []
