"""Which device each fix uses, and where it is defined when the file has none.

In the order of preference: the device expression that the partner lives on, where it can be seen; another device in
scope; the device of the model that a function is given; one new `device = ...` for the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import Protocol

import libcst as cst

from devlint.analysis.facts import (
    BatchOnHost,
    CudaCall,
    CudaLiteral,
    CudaTensorType,
    FixedAmpDevice,
    LiteralUse,
    Meets,
    ModelOnHost,
    Site,
    TensorOnHost,
    TypeUse,
)
from devlint.analysis.frame import ClassInfo, FunctionInfo
from devlint.analysis.parsed import ParsedFile
from devlint.analysis.placement import Device
from devlint.analysis.syntax import children, descendants, dotted, target_names
from devlint.analysis.torch_table import MODULE_QUERIES
from devlint.analysis.values import Batch, Class, External, Module, Tensor
from devlint.finding import Edit, Fix
from devlint.fixes.anchors import after_statement, contains, is_docstring, next_line, top_of_body
from devlint.replacement import Replacement


class Style(Protocol):
    """The settings that shape new code; `devlint.settings.Settings` is one."""

    @property
    def device_style(self) -> str: ...

    @property
    def device_expression(self) -> str | None: ...

    @property
    def device_import(self) -> str | None: ...

    @property
    def target_torch(self) -> tuple[int, int]: ...

    @property
    def replace(self) -> tuple[Replacement, ...]: ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """A device expression for one place, and the edits that make it available there."""

    text: str
    edits: tuple[Edit, ...] = ()
    unsafe: bool = False


class DeviceChoice:
    """Which device expression a place can use, and where a new one is defined."""

    def __init__(self, file: ParsedFile, style: Style, facts: Sequence[object] = (), *, at_top: bool = False) -> None:
        """at_top: a new definition stands after the imports, wherever the device is used."""
        self.file = file
        self.style = style
        self.facts = facts
        self.at_top = at_top

    # -- the device ---------------------------------------------------------------------------------------------

    def choose(self, site: Site, device: Device | None, model: str = "") -> Chosen:
        """The device for a fix at `site`. model: the name of a module that is at hand there, if one is."""
        if device is not None and self._visible(device.text, site):
            return Chosen(device.text)
        if site.spot.file is self.file:
            for text in site.devices:
                if self._visible(text, site):
                    return Chosen(text)
        if model and (chosen := self._of_model(site, model)) is not None:
            return chosen
        if (chosen := self.of_module(site, inputs=False)) is not None:
            return chosen
        chosen = self.defined()
        return replace(chosen, unsafe=True) if _binds(site.function, chosen.text) else chosen

    def of_module(self, site: Site, *, inputs: bool) -> Chosen | None:
        """Inside a method of a module: the device of an input, else that of its own parameters."""
        frame, function = site.frame, site.function
        if frame is None or function is None or not isinstance(frame.receiver, Module) or not function.parameters:
            return None
        if function.name == "__init__":
            return None
        own, *others = [param.name.value for param in function.parameters]
        unsafe = self._is_scripted
        state = "parameters" if function.owner is None else _state(function.owner)
        for name in others if inputs or not state else ():
            value = frame.env.get(name)
            if (isinstance(value, Tensor) or (isinstance(value, Batch) and value.part)) and name not in frame.bound:
                return Chosen(f"{name}.device", unsafe=unsafe)
        return Chosen(f"next({own}.{state}()).device", unsafe=unsafe) if state else None

    def _visible(self, text: str, site: Site) -> bool:
        """Whether an expression can be used at a site: its first name is bound there by then."""
        if not text or text.startswith('"') or text.isdigit() or "(" in text:
            return False
        root, _, rest = text.partition(".")
        if text in site.devices:
            return root not in self._of_main_only or self._read_there(root, site)
        frame = site.frame
        if frame is None or not rest:
            return False
        function = frame.function
        if function is not None and root in {param.name.value for param in function.parameters}:
            first = function.parameters[0].name.value
            if root == first and function.owner is not None:
                return (
                    re.search(rf"\b{root}\.{re.escape(rest)}\b", self.file.module.code_for_node(function.owner.node))
                    is not None
                )
            return True
        bound = frame.bound.get(root)
        if bound is not None:
            return self._before(bound.statement, site.statement)
        return function is not None and root in frame.module_frame.env

    @cached_property
    def _of_main_only(self) -> frozenset[str]:
        """Names that nothing but `if __name__ == "__main__":` binds: whoever imports the file does not have them."""
        inside = {name for block, _ in self._main_blocks for name in module_names([block])}
        blocks = {block for block, _ in self._main_blocks}
        outside = [statement for statement in self.file.module.body if statement not in blocks]
        return frozenset(inside.difference(module_names(outside)))

    def _read_there(self, name: str, site: Site) -> bool:
        """Whether the function of a site reads a name of the file already, or is no function."""
        if site.function is None or (site.frame is not None and name in site.frame.env):
            return True
        nodes = list(descendants(site.function.node))
        no_reads = {id(node.attr) for node in nodes if isinstance(node, cst.Attribute)}
        no_reads |= {id(node.keyword) for node in nodes if isinstance(node, cst.Arg)}
        return any(isinstance(node, cst.Name) and node.value == name and id(node) not in no_reads for node in nodes)

    def _before(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        spans = self.file.spans
        return first in spans and second in spans and spans[first].start < spans[second].start

    def _of_model(self, site: Site, model: str) -> Chosen | None:
        """Inside a function that is given its model: the model says where it is."""
        function = site.function
        root = model.partition(".")[0]
        if function is None or isinstance(function.node, cst.Lambda):
            return None
        parameters = [param.name.value for param in function.parameters]
        given = root in parameters and not (function.owner is not None and root == parameters[0])
        if not given and not (self._chosen_by_flag and _is_global_model(site, root)):
            return None
        used = {node.value for node in descendants(function.node) if isinstance(node, cst.Name)}
        name = next((name for name in ("device", "model_device") if name not in used), None)
        if name is None:
            return None
        header = self._header_end(function.node)
        edit = top_of_body(self.file, function.node.body, header, [f"{name} = next({model}.parameters()).device"])
        doubtful = given and not self._always_a_module(function, root)
        return Chosen(name, (edit,), doubtful) if edit is not None else None

    def _always_a_module(self, function: FunctionInfo, name: str) -> bool:
        """Whether a parameter is a module with parameters at every call that was seen, and used as one if none was."""
        param = next(param for param in function.parameters if param.name.value == name)
        if isinstance(param.default, cst.Name) and param.default.value == "None":
            return False
        seen = function.given.get(name)
        if seen is not None:
            return all(seen)
        if param.annotation is not None and self.file.code(param.annotation.annotation).endswith("Module"):
            return True
        text = self.file.module.code_for_node(function.node.body)
        return re.search(rf"\b{re.escape(name)}\.(parameters|train|eval|state_dict)\(", text) is not None

    def _header_end(self, node: cst.FunctionDef) -> int:
        """An offset in the last line of a function's header."""
        spans = self.file.spans
        if node.returns is not None:
            return spans[node.returns].end
        text = self.file.source.text
        start = spans[node.params].end if node.params in spans else spans[node.name].end
        return text.index(":", text.index(")", max(start, spans[node.name].end)))

    @cached_property
    def _torch(self) -> tuple[str, tuple[Edit, ...]]:
        """The name that torch has in the file, and the import where it has none."""
        for statement in top_level_lines(self.file.module):
            if isinstance(statement, cst.SimpleStatementLine):
                for small in statement.body:
                    if isinstance(small, cst.Import):
                        for alias in small.names:
                            if dotted(alias.name) == "torch" and alias.asname is not None:
                                return dotted(alias.asname.name), ()
                            if dotted(alias.name).partition(".")[0] == "torch" and alias.asname is None:
                                return "torch", ()
        return "torch", (self._after_imports(["import torch"], blank=False),)

    @cached_property
    def _definition(self) -> Chosen:
        names = {node.value for node in descendants(self.file.module) if isinstance(node, cst.Name)}
        bound = set(module_names(self.file.module.body))
        name = next(
            n
            for n in ("device", "DEVICE", "torch_device", "accelerator_device")
            if n not in bound and (n not in names or n == "device")
        )
        own = _torch_imported_first(self._home) if self._home is not None else None
        edits: tuple[Edit, ...] = ()
        if self.style.device_expression:
            expression = self.style.device_expression
            root = re.match(r"\w*", expression)
            if self.style.device_import and (root is None or root[0] not in self._imported):
                edits = (self._after_imports([self.style.device_import], blank=False),)
            if expression.isidentifier():
                return Chosen(expression, edits, self._doubtful)
        else:
            torch, edits = (own[0], edits) if own is not None else self._torch
            expression = _EXPRESSIONS[self.style.device_style].replace("torch", torch)
        line = f"{name} = {expression}"
        doubtful = self._doubtful or (own is None and self._torch_is_lazy)
        if (home := self._home) is not None and (edit := self._at_home(home, line)) is not None:
            return Chosen(name, (*edits, edit), doubtful)
        return Chosen(name, (*edits, self._after_imports([line], blank=True)), doubtful)

    @cached_property
    def _imported(self) -> frozenset[str]:
        """What the import statements at the top of the file bind."""
        lines = [line for line in self.file.module.body if isinstance(line, cst.SimpleStatementLine)]
        imports = [line for line in lines if all(isinstance(part, cst.Import | cst.ImportFrom) for part in line.body)]
        return frozenset(module_names(imports))

    @property
    def _doubtful(self) -> bool:
        """Whether the file is one in which a device of its own may be wrong."""
        return self._chosen_by_flag or self._torch_is_optional or self._is_scripted

    @cached_property
    def _torch_is_lazy(self) -> bool:
        """Whether only functions import torch: whoever imports the file, or asks it for help, does without."""
        imported = [small for line in top_level_lines(self.file.module) for small in line.body]
        names = [dotted(alias.name) for small in imported if isinstance(small, cst.Import) for alias in small.names] + [
            dotted(small.module) for small in imported if isinstance(small, cst.ImportFrom) and small.module
        ]
        lazily = any(
            isinstance(node, cst.Import) and any(dotted(alias.name) == "torch" for alias in node.names)
            for statement in self.file.module.body
            if isinstance(statement, cst.FunctionDef | cst.ClassDef)
            for node in descendants(statement)
        )
        return lazily and not any(name.startswith("torch") for name in names)

    @cached_property
    def _is_scripted(self) -> bool:
        """Whether TorchScript compiles functions of the file: it knows no globals and no `next()`."""
        return re.search(r"\b(jit\.(script|export|ScriptModule)\b|script_method\b)", self.file.source.text) is not None

    @cached_property
    def _torch_is_optional(self) -> bool:
        """`try: import torch` with a handler that goes on without it."""
        return any(
            isinstance(statement, cst.Try)
            and any(
                isinstance(node, cst.Import | cst.ImportFrom)
                and "torch" in self.file.module.code_for_node(node).replace(",", " ").replace(".", " ").split()
                for node in descendants(statement.body)
            )
            and not all(any(isinstance(n, cst.Raise) for n in descendants(h.body)) for h in statement.handlers)
            for statement in self.file.module.body
        )

    @cached_property
    def _chosen_by_flag(self) -> bool:
        """Whether the file moves things behind a flag such as `args.cuda`, which may be off where CUDA is there."""
        moved = [fact.call for fact in self.facts if isinstance(fact, CudaCall) and fact.site.guarded]
        if not moved:
            return False
        return any(
            isinstance(node, cst.If | cst.IfExp)
            and not self._asks_availability(node.test)
            and any(contains(node.body, call) for call in moved)
            for node in descendants(self.file.module)
        )

    def _asks_availability(self, test: cst.BaseExpression) -> bool:
        """`torch.cuda.is_available()`, or a name that is set to just that, and to nothing else."""
        if "is_available" in self.file.module.code_for_node(test):
            return True
        text = dotted(test)
        if not text:
            return False
        set_to = re.findall(rf"^\s*{re.escape(text)}\s*=\s*(.*)$", self.file.source.text, re.MULTILINE)
        return bool(set_to) and all(_IS_AVAILABLE.match(value.strip()) for value in set_to)

    @cached_property
    def _home(self) -> cst.FunctionDef | cst.If | None:
        """The `main()`, or the `if __name__ == "__main__":`, in which everything stands that needs the device."""
        if self.at_top:
            return None
        homes: set[cst.CSTNode | None] = set()
        for fact in self.facts:
            site = _site_in_need(fact)
            if site is None or site.devices:
                continue
            function = site.function
            if function is None:
                homes.add(next((block for block, nodes in self._main_blocks if site.spot.node in nodes), None))
            elif (
                isinstance(function.node, cst.FunctionDef)
                and function.owner is None
                and function.node in self.file.module.body
            ):
                homes.add(function.node)
            else:
                homes.add(None)
        if len(homes) != 1:
            return None
        home = homes.pop()
        if not isinstance(home, cst.FunctionDef | cst.If):
            return None
        if any(isinstance(node, cst.Import | cst.ImportFrom) for node in descendants(home)):
            if _torch_imported_first(home) is None:
                return None
        if isinstance(home, cst.FunctionDef) and (home.name.value == "main" or not home.params.params):
            return home
        return home if isinstance(home, cst.If) else None

    @cached_property
    def _main_blocks(self) -> list[tuple[cst.If, frozenset[cst.CSTNode]]]:
        """Every `if __name__ == "__main__":`, and what stands in it."""
        blocks = [statement for statement in self.file.module.body if isinstance(statement, cst.If)]
        return [(block, frozenset(descendants(block.body))) for block in blocks if _asks_for_main(block)]

    def scattered(self, fixes: Iterable[Fix]) -> bool:
        """Whether a definition that was put into one function is used outside of it."""
        if (home := self._home) is None or "_definition" not in self.__dict__:
            return False
        span, given = self.file.span(home), self._definition.edits
        return any(
            given[-1] in fix.edits
            and any(edit not in given and not span.start <= edit.start <= span.end for edit in fix.edits)
            for fix in fixes
            if given
        )

    def _at_home(self, home: cst.FunctionDef | cst.If, line: str) -> Edit | None:
        if (imported := _torch_imported_first(home)) is not None:
            return after_statement(self.file, imported[1], [line])
        end = self._header_end(home) if isinstance(home, cst.FunctionDef) else self.file.span(home.test).end
        return top_of_body(self.file, home.body, end, [line])

    def defined(self) -> Chosen:
        """A new `device = ...` after the imports."""
        return self._definition

    @property
    def fallback(self) -> str:
        """The expression of a device that falls back to the CPU."""
        if self.style.device_expression:
            return self.style.device_expression
        return _EXPRESSIONS[self.style.device_style].replace("torch", self._torch[0])

    @cached_property
    def _first_need(self) -> int:
        """Where the code of the file itself first needs a device: the definition has to stand before."""
        spans = self.file.spans
        starts = [
            spans[site.statement].start
            for fact in self.facts
            if (site := _site_in_need(fact)) is not None and site.function is None and site.statement in spans
        ]
        return min(starts, default=len(self.file.source.text) + 1)

    def _after_imports(self, lines: list[str], blank: bool) -> Edit:
        """After the last import of the block that opens the file; after a docstring where there is none."""
        last: cst.CSTNode | None = None
        needed = self._first_need
        for statement in self.file.module.body:
            if self.file.span(statement).end > needed:
                if (mixed := _code_after_import(statement)) is not None:
                    needing = next((small for small in mixed if self.file.span(small).end > needed), mixed[-1])
                    offset = self.file.span(needing).start
                    return Edit(offset, offset, "".join(f"{line}; " for line in lines))
                break
            if (
                (is_docstring(statement) and last is None)
                or _imports(statement)
                or _code_after_import(statement) is not None
                or (isinstance(statement, cst.Try | cst.If) and _only_imports(statement))
            ):
                last = statement
            elif isinstance(statement, cst.FunctionDef | cst.ClassDef | cst.For | cst.While | cst.With):
                break
        text = self.file.source.text
        if last is None:
            first = self.file.module.body[0] if self.file.module.body else None
            offset = self.file.span(first).start if first is not None else len(text)
            return Edit(offset, offset, "".join(f"{line}\n" for line in lines) + ("\n" if blank else ""))
        end = next_line(text, self.file.span(last).end)
        at_end = text[end - 1 : end] not in ("\r", "\n")
        block = "".join(f"{line}\n" for line in lines)
        if blank:
            followed = text[end : end + 1] in ("\r", "\n", "")
            block = f"\n{block}" + ("" if followed else "\n")
        return Edit(end, end, "\n" + block[:-1] if at_end else block)


def _torch_imported_first(home: cst.FunctionDef | cst.If) -> tuple[str, cst.SimpleStatementLine] | None:
    """The name of torch and the last import, where a body opens with all its imports, torch among them."""
    lines = home.body.body if isinstance(home.body, cst.IndentedBlock) else ()
    opening = list(takewhile(_imports, (line for line in lines if not is_docstring(line))))
    small = [part for line in opening if isinstance(line, cst.SimpleStatementLine) for part in line.body]
    if len(small) != sum(isinstance(node, cst.Import | cst.ImportFrom) for node in descendants(home)):
        return None
    for part in small:
        for alias in part.names if isinstance(part, cst.Import) else ():
            if dotted(alias.name) == "torch":
                last = opening[-1]
                assert isinstance(last, cst.SimpleStatementLine)
                return (dotted(alias.asname.name) if alias.asname is not None else "torch"), last
    return None


def _code_after_import(statement: cst.CSTNode) -> Sequence[cst.BaseSmallStatement] | None:
    """In `import torch; x = torch.ones(3)`: what follows the import."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return None
    imports = [isinstance(small, cst.Import | cst.ImportFrom) for small in statement.body]
    return statement.body[imports.index(False) :] if imports[0] and not all(imports) else None


def top_level_lines(module: cst.Module) -> Iterator[cst.SimpleStatementLine]:
    """The lines that run when a file is imported, also those inside `try` and `if`."""
    waiting: list[cst.CSTNode] = [module]
    while waiting:
        node = waiting.pop()
        if isinstance(node, cst.SimpleStatementLine):
            yield node
        elif not isinstance(node, cst.FunctionDef | cst.ClassDef | cst.BaseExpression):
            waiting.extend(reversed(list(children(node))))


def _site_in_need(fact: object) -> Site | None:
    """Where a fact needs a device expression, if it does."""
    match fact:
        case CudaCall(site=site) if not site.guarded and not fact.chosen:
            return site
        case CudaLiteral(site=site) if not site.guarded and fact.use in (
            LiteralUse.KEYWORD,
            LiteralUse.MOVE,
            LiteralUse.MAP_LOCATION,
        ):
            return site
        case CudaTensorType(site=site, use=TypeUse.CONSTRUCTED | TypeUse.CAST | TypeUse.DEFAULT) if not site.guarded:
            return site
        case FixedAmpDevice(site=site) if not site.guarded:
            return site
        case BatchOnHost(meets=meets) | TensorOnHost(meets=meets):
            site = meets[0].site
            name = model_name(meets).partition(".")[0]
            given = site.function is not None and name in {param.name.value for param in site.function.parameters}
            return None if given else site
        case ModelOnHost(site=site):
            return site
        case _:
            return None


def _asks_for_main(statement: cst.CSTNode) -> bool:
    """`if __name__ == "__main__":`"""
    return (
        isinstance(statement, cst.If)
        and isinstance(statement.test, cst.Comparison)
        and any(isinstance(node, cst.Name) and node.value == "__name__" for node in descendants(statement.test))
    )


_IS_AVAILABLE = re.compile(r"(True if )?(\w+\.)*is_available\(\)( else False)?\s*(#.*)?$")
_EXPRESSIONS = {
    "cuda": 'torch.device("cuda" if torch.cuda.is_available() else "cpu")',
    "accelerator": "torch.accelerator.current_accelerator() if torch.accelerator.is_available() "
    'else torch.device("cpu")',
}


def model_name(meets: Sequence[Meets]) -> str:
    """The name of the module that is called with the operand, where one is."""
    for one in meets:
        if one.model:
            return one.model
        if isinstance(one.site.spot.node, cst.Call) and contains(one.site.spot.node, one.operand):
            name = dotted(one.site.spot.node.func)
            if name and (one.device is None or one.partner == "") and not _of_a_library(one, name):
                return name.removesuffix(".forward")
    return ""


def _of_a_library(one: Meets, name: str) -> bool:
    """`F.cross_entropy`, under whatever name the library is imported."""
    root = name.partition(".")[0]
    value = one.site.frame.lookup(root) if one.site.frame is not None else None
    return isinstance(value, External) or root == "torch"


def _is_global_model(site: Site, name: str) -> bool:
    return site.frame is not None and isinstance(site.frame.module_frame.env.get(name), Module)


def _imports(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(small, cst.Import | cst.ImportFrom) for small in statement.body
    )


def _only_imports(statement: cst.Try | cst.If) -> bool:
    body = statement.body.body
    return bool(body) and all(_imports(inner) for inner in body)


def module_names(statements: Iterable[cst.CSTNode]) -> Iterable[str]:
    """Names that statements at the top level of a file bind."""
    waiting: list[cst.CSTNode] = list(statements)
    while waiting:
        node = waiting.pop()
        match node:
            case cst.FunctionDef(name=name) | cst.ClassDef(name=name):
                yield name.value
            case cst.AssignTarget(target=target) | cst.For(target=target):
                yield from target_names(target)
                if isinstance(node, cst.For):
                    waiting.append(node.body)
            case cst.ImportAlias():
                yield (dotted(node.asname.name) if node.asname is not None else dotted(node.name)).partition(".")[0]
            case _:
                waiting.extend(children(node))


def _binds(function: FunctionInfo | None, name: str) -> bool:
    """Whether a name is a parameter of a function, and so something else there than in the file."""
    return function is not None and name in {param.name.value for param in function.parameters}


_NO_LAYERS = MODULE_QUERIES - {"register_parameter", "add_module", "register_module", "append", "extend", "insert"}
"""What a module calls of its own that gives it no parameter."""


def _state(cls: ClassInfo) -> str:
    """What a module surely has one of, `parameters` or `buffers`; "" where it may have neither.

    A module has parameters that makes a layer or a parameter, or calls what it keeps.
    """
    buffers = False
    for one in cls.lineage():
        for node in descendants(one.node):
            match node:
                case cst.Call(func=cst.Attribute(value=cst.Name(), attr=cst.Name(value=called)) as func):
                    own = dotted(func).startswith("self.")
                    buffers = buffers or (own and called == "register_buffer")
                    if called[:1].isupper() or (own and called not in _NO_LAYERS and one.method(called) is None):
                        return "parameters"
                case cst.Call(func=cst.Name(value=called)) if called[:1].isupper():
                    return "parameters"
    if any(not isinstance(base, External | Class) for one in cls.lineage() for base in one.bases):
        return "parameters"
    return "buffers" if buffers else ""
