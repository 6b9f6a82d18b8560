"""Repairs of what a module holds: registered layers, buffers, leaf parameters, the order of moves."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.facts import (
    LayerMadeInForward,
    LayersInContainer,
    ModelOnHost,
    MovedLeaf,
    OptimizerBeforeMove,
    Site,
    StaleDevice,
    TensorAttribute,
)
from devlint.analysis.frame import ClassInfo
from devlint.analysis.syntax import children, descendants, dotted, keyword, literal, target_names
from devlint.finding import Applicability, Edit, Fix
from devlint.fixes.anchors import after_statement, call_on, contains, indent_of, next_line
from devlint.fixes.moves import Moves, _takes_device, fix_of

_ASSIGNED = re.compile(r"\w+\.\w+\s*=\s*")
_OF_LISTS = frozenset("append extend insert pop".split())
_OF_DICTS = frozenset("keys items values update pop clear".split())


class ModuleRepairs(Moves):
    """Fixes inside the classes of modules."""

    def register_layers(self, fact: LayersInContainer) -> Fix | None:
        """`self.layers = [...]` becomes `self.layers = nn.ModuleList([...])`; a dict, an `nn.ModuleDict`."""
        if fact.site.spot.file is not self.file or _stores(fact.owner, fact.name) != 1:
            return None
        if not _after_super(fact.owner, fact.site.spot.node) or _is_nested(fact.owner, fact.name, fact.value):
            return None
        match fact.value:
            case cst.Dict(elements=elements):
                kind, empty = "ModuleDict", not elements
                keys = [element.key for element in elements if isinstance(element, cst.DictElement)]
                if any(isinstance(literal(key), int) for key in keys):
                    return None
            case cst.DictComp():
                kind, empty = "ModuleDict", False
                if _counts(fact.value):
                    return None
            case cst.Call(func=cst.Name(value="dict" | "OrderedDict"), args=args):
                kind, empty = "ModuleDict", not args
            case cst.Call(func=cst.Name(value="list"), args=[]):
                kind, empty = "ModuleList", True
            case cst.List(elements=elements):
                kind, empty = "ModuleList", not elements
            case cst.ListComp() | cst.Tuple() | cst.Name() | cst.Call(func=cst.Name(value="list")):
                kind, empty = "ModuleList", False
            case _:
                return None
        if not _serves(fact.owner, fact.name, _OF_LISTS if kind == "ModuleList" else _OF_DICTS):
            return None
        nn, imports = self._nn
        span = self.file.span(fact.value)
        if empty:
            edits = [Edit(span.start, span.end, f"{nn}.{kind}()")]
        else:
            edits = [Edit(span.start, span.start, f"{nn}.{kind}("), Edit(span.end, span.end, ")")]
        return fix_of(f"keep them in an `{nn}.{kind}`", [*imports, *edits], True)

    def register_buffer(self, fact: TensorAttribute) -> Fix | None:
        """`self.mean = x` becomes `self.register_buffer("mean", x, persistent=False)`; checkpoints keep their keys."""
        kept, owner = fact.kept, fact.kept.function.owner
        if owner is None or kept.spot.file is not self.file or not kept.whole or kept.function.name != "__init__":
            return None
        if any(kept.name in cls.attributes or kept.name in cls.methods for cls in owner.lineage()):
            return None
        if not _after_super(owner, kept.spot.node):
            return None
        match kept.spot.node:
            case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)])]):
                pass
            case _:
                return None
        text = self.file.source.text
        start, end = self.file.span(target).start, self.file.span(kept.spot.node.body[0]).end
        before = _ASSIGNED.match(text, start)
        if before is None or "requires_grad" in text[start:end] or dotted(target).count(".") != 1:
            return None
        own = dotted(target).partition(".")[0]
        while text[end - 1] in ",; ":
            end -= 1
        elsewhere = _stores(owner, kept.name) - 1
        if elsewhere and _stores(owner, kept.name, within=kept.function.node) > 1:
            return None
        edits = [
            Edit(before.start(), before.end(), f'{own}.register_buffer("{kept.name}", '),
            Edit(end, end, ", persistent=False)"),
        ]
        return fix_of("register it as a buffer", edits, elsewhere > 0)

    def move_first(self, fact: MovedLeaf) -> Fix | None:
        """`nn.Parameter(x).to(device)` becomes `nn.Parameter(x.to(device))`; a leaf asks for its gradient last."""
        made = fact.made.node
        if made is not fact.moved or not isinstance(made, cst.Call) or fact.made.file is not self.file:
            return None
        end = self.file.span(fact.move).end
        move = self.file.source.text[self.file.outer(made).end : end]
        simple = len(fact.move.args) == 1 and _plain_or_device(fact.move.args[0])
        device = self.file.code(fact.move.args[0].value) if simple else ""
        name = dotted(made.func).rpartition(".")[2]
        if isinstance(made.func, cst.Attribute) and made.func.attr.value == "requires_grad_":
            return fix_of(
                "move first, make it trainable then",
                [Edit(self.file.outer(made).end, end, ""), *call_on(self.file, made.func.value, move.strip()[1:])],
                False,
            )
        edits = [Edit(self.file.outer(made).end, end, "")]
        if fact.parameter or name == "Variable":
            inner = next((arg.value for arg in made.args if _plain_or_data(arg)), None)
            if inner is None:
                return None
            if simple and isinstance(inner, cst.Call) and dotted(inner.func):
                edits += self._place_creation(inner, inner, device)
            else:
                edits += call_on(self.file, inner, move.strip().removeprefix("."))
        elif simple and _takes_device(made):
            edits.append(self._add_argument(made, f"device={device}"))
        else:
            wanted = keyword(made, "requires_grad")
            if wanted is None:
                return None
            index = made.args.index(wanted)
            if index == 0:
                return None
            start, stop = self.file.outer(made.args[index - 1].value).end, self.file.span(wanted).end
            kept = "," if index + 1 < len(made.args) else ""
            source = self.file.source.text
            if kept:
                start, stop = self.file.span(wanted).start, self.file.span(made.args[index + 1]).start
            elif source[start:stop].count(",") != 1:
                return None
            else:
                start = start + source[start:stop].index(",") if source[start] != "," else start
            edits = [Edit(start, stop, ""), Edit(end, end, ".requires_grad_()")]
        return fix_of("move first, make it trainable then", edits, False)

    def move_second(self, fact: ModelOnHost) -> Fix | None:
        """As any model; a copy that was taken too early is taken after the move of the other one."""
        if not fact.mixed:
            return self.move_model(fact)
        if fact.first is None or fact.first.file is not self.file:
            return None
        for spot in (fact.created, *fact.made_by):
            if spot.file is self.file and (edits := self._earlier(fact.first.node, spot.node)):
                return fix_of("move the model before it is copied", edits, False)
        return None

    def move_before_optimizer(self, fact: OptimizerBeforeMove) -> Fix | None:
        """The statement that moves the model goes before the one that makes its optimizer."""
        if fact.moved is None or fact.moved.file is not self.file or fact.site.spot.file is not self.file:
            return None
        edits = self._earlier(fact.moved.node, fact.site.spot.node)
        return fix_of("move the model first", edits, fact.loaded is None and fact.held is None)

    def _earlier(self, move: cst.CSTNode, before: cst.CSTNode) -> list[Edit]:
        """Take the statement of a move to before another one of the same block, if it means the same there."""
        for block in descendants(self.file.module):
            if not isinstance(block, cst.Module | cst.IndentedBlock):
                continue
            body = list(block.body)
            late = next((n for n, one in enumerate(body) if contains(one, move)), None)
            early = next((n for n, one in enumerate(body) if contains(one, before)), None)
            if late is None or early is None or late <= early:
                continue
            line = body[late]
            if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
                return []
            names = {node.value for node in descendants(line) if isinstance(node, cst.Name)}
            if any(_binds(one, names) for one in body[early:late]):
                return []
            indent = indent_of(self.file, line)
            if indent is None or indent_of(self.file, body[early]) != indent:
                return []
            source, start = self.file.source.text, self.file.span(line).start - len(indent)
            text = self.file.code(line).rstrip("\r\n")
            end = self.file.span(line).start + len(text)
            if "#" in source[end : next_line(source, end)]:
                return []
            start -= 2 if source[start - 2 : start] == "\r\n" else 1
            at = self.file.span(body[early]).start - len(indent)
            return [Edit(at, at, f"{indent}{text}\n"), Edit(start, end, "")]
        return []

    def follow_module(self, fact: StaleDevice) -> Fix | None:
        """`device=self.device` becomes `device=next(self.parameters()).device`: where the module is by then."""
        edits: list[Edit] = []
        for use in fact.uses:
            if use.spot.file is not self.file or use.function is None:
                return None
            text = f"next({use.function.parameters[0].name.value}.parameters()).device"
            if not fact.has_parameters:
                chosen = self.of_module(use, inputs=True)
                if chosen is None or chosen.text == text or _moves_its_own(use, chosen.text):
                    return None
                text = chosen.text
            span = self.file.span(use.spot.node)
            edits.append(Edit(span.start, span.end, text))
        return fix_of("ask the module where it is", edits, False)

    def make_once(self, fact: LayerMadeInForward) -> Fix | None:
        """`nn.Linear(6, 2)(x)` becomes `self.linear(x)`, and `__init__` makes the layer; for a person to read."""
        owner, function, made = fact.function.owner, fact.function, fact.made.node
        if fact.made.file is not self.file or owner is None or not isinstance(made, cst.Call):
            return None
        init = owner.methods.get("__init__")
        if init is None or not isinstance(init.node.body, cst.IndentedBlock) or not function.parameters:
            return None
        own = function.parameters[0].name.value
        if init.parameters[0].name.value != own or _needs_more_than(made, own):
            return None
        taken = {node.attr.value for node in descendants(owner.node) if isinstance(node, cst.Attribute)}
        words = dotted(made.func).rpartition(".")[2].lower()
        name = next(name for name in (words, *(f"{words}{n}" for n in range(2, 99))) if name not in taken)
        edit = after_statement(self.file, init.node.body.body[-1], [f"{own}.{name} = {self.file.code(made)}"])
        if edit is None:
            return None
        span = self.file.span(made)
        return Fix(
            "make the layer once, in `__init__`",
            (edit, Edit(span.start, span.end, f"{own}.{name}")),
            Applicability.DISPLAY,
        )

    @property
    def _nn(self) -> tuple[str, tuple[Edit, ...]]:
        """What the file calls `torch.nn`."""
        for statement in self.file.module.body:
            for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
                match small:
                    case cst.ImportFrom(module=cst.Name(value="torch"), names=[*aliases]):
                        for alias in aliases:
                            if dotted(alias.name) == "nn":
                                return dotted(alias.asname.name) if alias.asname is not None else "nn", ()
                    case cst.Import(names=names):
                        for alias in names:
                            if dotted(alias.name) == "torch.nn" and alias.asname is not None:
                                return dotted(alias.asname.name), ()
        torch, imports = self._torch
        return f"{torch}.nn", imports


def _binds(statement: cst.CSTNode, names: set[str]) -> bool:
    """Whether a statement, or one inside it, binds one of the names."""
    for node in descendants(statement):
        match node:
            case cst.AssignTarget(target=target) | cst.For(target=target) | cst.AugAssign(target=target):
                if names & set(target_names(target)):
                    return True
            case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
                if name.value in names:
                    return True
            case cst.Import() | cst.ImportFrom() | cst.NamedExpr() | cst.With() | cst.Global() | cst.Return():
                return True
    return False


def _moves_its_own(use: Site, device: str) -> bool:
    """`x.to(self.device)` where the device at hand is that of `x`."""
    name = device.partition(".")[0]
    return any(
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and node.func.attr.value == "to"
        and dotted(node.func.value) == name
        and contains(node, use.spot.node)
        for node in descendants(use.statement)
    )


def _plain_or_device(arg: cst.Arg) -> bool:
    return not arg.star and (arg.keyword is None or arg.keyword.value == "device")


def _plain_or_data(arg: cst.Arg) -> bool:
    return not arg.star and (arg.keyword is None or arg.keyword.value == "data")


def _stores(owner: ClassInfo, name: str, within: cst.CSTNode | None = None) -> int:
    """How often the class, its bases and its attributes, or one of its methods, bind `self.name`."""
    count = 0
    for cls in owner.lineage():
        count += name in cls.attributes
        for node in descendants(within or cls.node):
            targets = [target.target for target in node.targets] if isinstance(node, cst.Assign) else []
            if isinstance(node, cst.AnnAssign | cst.AugAssign | cst.For):
                targets = [node.target]
            for target in targets:
                count += sum(
                    isinstance(part, cst.Attribute) and part.attr.value == name and isinstance(part.value, cst.Name)
                    for part in _parts(target)
                )
    return count


def _parts(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, cst.Tuple | cst.List):
        return [part for element in target.elements for part in _parts(element.value)]
    return [target]


def _after_super(owner: ClassInfo, statement: cst.CSTNode) -> bool:
    """Whether a module has been initialised when the statement of its `__init__` runs."""
    init = owner.methods.get("__init__")
    if init is None or not isinstance(init.node, cst.FunctionDef):
        return False
    spans = owner.file.spans
    for node in descendants(init.node):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "__init__":
            return spans[node].start < spans[statement].start < spans[init.node].end
    return False


def _serves(owner: ClassInfo, name: str, methods: frozenset[str]) -> bool:
    """Whether the class uses `self.name` only as a container of modules can be used."""
    for cls in owner.lineage():
        for node in descendants(cls.node):
            match node:
                case cst.Attribute(value=cst.Attribute(attr=cst.Name(value=held)), attr=cst.Name(value=method)):
                    if held == name and method not in methods:
                        return False
                case cst.BinaryOperation(left=left, right=right):
                    if any(isinstance(side, cst.Attribute) and side.attr.value == name for side in (left, right)):
                        return False
    return True


_DISPLAYS = cst.List | cst.Tuple | cst.Dict | cst.ListComp | cst.DictComp


def _is_nested(owner: ClassInfo, name: str, value: cst.BaseExpression) -> bool:
    """Whether the container holds containers: `nn.ModuleList` takes modules only."""
    match value:
        case cst.List(elements=elements) | cst.Tuple(elements=elements) | cst.Dict(elements=elements):
            inner: list[cst.BaseExpression] = [element.value for element in elements]
        case cst.ListComp(elt=element) | cst.DictComp(value=element):
            inner = [element]
        case _:
            inner = []
    for node in descendants(owner.node):
        match node:
            case cst.Call(func=cst.Attribute(value=held, attr=cst.Name(value="append")), args=[arg]):
                if isinstance(held, cst.Attribute) and held.attr.value == name:
                    inner.append(arg.value)
    return any(isinstance(element, _DISPLAYS) for element in inner)


def _counts(node: cst.DictComp) -> bool:
    """`{i: layer for i in range(n)}`: the keys of an `nn.ModuleDict` are strings."""
    return any(
        isinstance(part, cst.Call) and dotted(part.func) in {"range", "enumerate"} for part in descendants(node.for_in)
    ) and isinstance(node.key, cst.Name)


def _needs_more_than(made: cst.Call, own: str) -> bool:
    """Whether the arguments of a constructor use anything but literals and attributes of the module."""
    return any(
        isinstance(node, cst.Name) and node.value not in {own, "True", "False", "None"}
        for arg in made.args
        for node in _read_names(arg.value)
    )


def _read_names(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Names that are looked up; the name of an attribute, of a keyword and of a called class is not."""
    match node:
        case cst.Attribute(value=inner):
            return _read_names(inner)
        case cst.Call(args=args):
            return [name for arg in args for name in _read_names(arg.value)]
        case cst.Name():
            return [node]
        case _:
            return [name for child in children(node) for name in _read_names(child)]
