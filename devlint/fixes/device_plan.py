"""The device plan of a file: which device each fix uses, where it is defined, and how values get there.

In the order of preference: the device expression that the partner lives on, where it can be seen; another device in
scope; the device of the model that a function is given; one new `device = ...` for the whole file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

import libcst as cst

from devlint.analysis.facts import (
    BatchOnHost,
    CudaCall,
    CudaLiteral,
    DiscardedMove,
    HostReadsDevice,
    LiteralUse,
    Meets,
    ModelOnHost,
    Receiver,
    Site,
    TensorOnHost,
)
from devlint.analysis.devices import looks_like_device
from devlint.analysis.frame import Frame
from devlint.analysis.parsed import ParsedFile, Spot
from devlint.analysis.placement import Device
from devlint.analysis.syntax import descendants, dotted, root_name, target_names
from devlint.analysis.torch_table import RANDOM_FACTORIES
from devlint.analysis.values import Source
from devlint.finding import Applicability, Edit, Fix
from devlint.fixes.anchors import after_statement, call_on, chain_end, contains, indent_of, is_docstring, top_of_body


class Style(Protocol):
    """The settings that shape new code; `devlint.settings.Settings` is one."""

    @property
    def device_style(self) -> str: ...

    @property
    def device_expression(self) -> str | None: ...

    @property
    def device_import(self) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Chosen:
    """A device expression for one place, and the edits that make it available there."""

    text: str
    edits: tuple[Edit, ...] = ()
    unsafe: bool = False


class DevicePlan:
    """All fixes of one file draw on one plan, so that they agree on the device."""

    def __init__(self, file: ParsedFile, style: Style, facts: Sequence[object] = ()) -> None:
        self.file = file
        self.style = style
        self.facts = facts

    # -- the device ---------------------------------------------------------------------------------------------

    def choose(self, site: Site, device: Device | None, model: str = "") -> Chosen:
        """The device for a fix at `site`. model: the name of a module that is at hand there, if one is."""
        if device is not None and self._visible(device.text, site):
            return Chosen(device.text)
        if site.spot.file is self.file:
            for text in site.devices:
                if self._visible(text, site) or text in site.devices:
                    return Chosen(text)
        if model and (chosen := self._of_model(site, model)) is not None:
            return chosen
        return self.defined()

    def _visible(self, text: str, site: Site) -> bool:
        """Whether an expression can be used at a site: its first name is bound there by then."""
        if not text or text.startswith('"') or text.isdigit() or "(" in text:
            return False
        if text in site.devices:
            return True
        root, _, rest = text.partition(".")
        frame = site.frame
        if frame is None or not rest:
            return False
        function = frame.function
        if function is not None and root in {param.name.value for param in function.parameters}:
            first = function.parameters[0].name.value
            if root == first and function.owner is not None:
                return re.search(rf"\b{root}\.{re.escape(rest)}\b", self.file.module.code_for_node(function.owner.node)) is not None
            return True
        bound = frame.bound.get(root)
        if bound is not None:
            return self._before(bound.statement, site.statement)
        return function is not None and root in frame.module_frame.env

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
        if root not in parameters:
            return None
        used = {node.value for node in descendants(function.node) if isinstance(node, cst.Name)}
        name = next((name for name in ("device", "model_device") if name not in used), None)
        if name is None:
            return None
        header = self._header_end(function.node)
        edit = top_of_body(self.file, function.node.body, header, [f"{name} = next({model}.parameters()).device"])
        return Chosen(name, (edit,)) if edit is not None else None

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
        for statement in self.file.module.body:
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
        bound = set(_module_names(self.file.module))
        name = next(n for n in ("device", "DEVICE", "torch_device", "accelerator_device") if n not in bound and (n not in names or n == "device"))
        edits: tuple[Edit, ...] = ()
        if self.style.device_expression:
            expression = self.style.device_expression
            if self.style.device_import:
                edits = (self._after_imports([self.style.device_import], blank=False),)
        else:
            torch, edits = self._torch
            expression = _EXPRESSIONS[self.style.device_style].replace("torch", torch)
        line = f"{name} = {expression}"
        if (home := self._home) is not None and (edit := self._at_home(home, line)) is not None:
            return Chosen(name, (*edits, edit))
        return Chosen(name, (*edits, self._after_imports([line], blank=True)))

    @cached_property
    def _home(self) -> cst.FunctionDef | cst.If | None:
        """The `main()`, or the `if __name__ == "__main__":`, in which everything stands that needs the device."""
        homes: set[cst.CSTNode | None] = set()
        for fact in self.facts:
            site = _site_in_need(fact)
            if site is None or site.devices:
                continue
            function = site.function
            if function is None:
                homes.add(_main_block(self.file.module, site.spot.node))
            elif isinstance(function.node, cst.FunctionDef) and function.owner is None and function.node in self.file.module.body:
                homes.add(function.node)
            else:
                homes.add(None)
        if len(homes) != 1:
            return None
        home = homes.pop()
        if isinstance(home, cst.FunctionDef) and (home.name.value == "main" or not home.params.params):
            return home
        return home if isinstance(home, cst.If) else None

    def _at_home(self, home: cst.FunctionDef | cst.If, line: str) -> Edit | None:
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

    def _after_imports(self, lines: list[str], blank: bool) -> Edit:
        """After the last import of the block that opens the file; after a docstring and `__future__` where there is none."""
        last: cst.CSTNode | None = None
        for statement in self.file.module.body:
            if is_docstring(statement) and last is None:
                last = statement
            elif _imports(statement) or (isinstance(statement, cst.Try | cst.If) and _only_imports(statement)):
                last = statement
            elif isinstance(statement, cst.FunctionDef | cst.ClassDef | cst.For | cst.While | cst.With):
                break
        text = self.file.source.text
        if last is None:
            first = self.file.module.body[0] if self.file.module.body else None
            offset = self.file.span(first).start if first is not None else len(text)
            return Edit(offset, offset, "".join(f"{line}\n" for line in lines) + ("\n" if blank else ""))
        end = self.file.span(last).end
        while end < len(text) and text[end] not in "\r\n":
            end += 1
        at_end = end == len(text)
        if not at_end:
            end += 2 if text.startswith("\r\n", end) else 1
        block = "".join(f"{line}\n" for line in lines)
        if blank:
            followed = text[end : end + 1] in ("\r", "\n", "")
            block = f"\n{block}" + ("" if followed else "\n")
        return Edit(end, end, "\n" + block[:-1] if at_end else block)

    # -- moves --------------------------------------------------------------------------------------------------

    def move_batch(self, fact: BatchOnHost) -> Fix | None:
        """Move a batch at the top of its loop, after the statement that takes it, or where it is used."""
        if fact.origin.source is Source.DATA:
            return self._move_created(fact.origin.spot, fact.meets[0].site, fact.device, fact.meets, _model_name(fact.meets))
        edits: list[Edit] = []
        texts: list[str] = []
        unsafe = False
        for bound, meets in _by_binding(fact.meets):
            if (bound or meets[0].site.spot).file is not self.file:
                return None
            chosen = self._for_group(bound, meets, fact)
            moved, doubtful = self._moves_at(bound.node if bound is not None else None, meets, chosen.text)
            if not moved:
                if any(one.site.spot.file is not self.file for one in meets):
                    return None
                moved = [edit for one in meets for edit in self._inline(one, chosen.text)]
            edits.extend(edit for edit in (*chosen.edits, *moved) if edit not in edits)
            texts.append(chosen.text)
            unsafe = unsafe or doubtful or chosen.unsafe
        return _fix(f"move the batch to `{texts[0]}`", edits, unsafe) if texts else None

    def _for_group(self, bound: Spot | None, meets: Sequence[Meets], fact: BatchOnHost) -> Chosen:
        """The device for moves that stand where `bound` stands, which may be a caller of where they meet."""
        frame = meets[0].site.frame
        while frame is not None and bound is not None and not any(b.statement is bound.node for b in frame.bound.values()):
            frame = frame.caller
        site = meets[0].site
        if frame is not None and frame is not site.frame:
            site = replace(site, function=frame.function, frame=frame, devices=_devices_of(frame), statement=bound.node if bound is not None else site.statement)
        return self.choose(site, fact.device, _model_name([one for one in meets if one.site.frame is frame]))

    def _moves_at(self, bound: cst.CSTNode | None, meets: Sequence[Meets], device: str) -> tuple[list[Edit], bool]:
        names = list(dict.fromkeys(one.part for one in meets))
        if bound is None or not all(name.isidentifier() for name in names):
            return [], False
        forms: dict[str, str] = {}
        for name in names:
            direct = [one for one in meets if one.part == name and root_name(one.operand) == name and self._stands_by(bound, one)]
            form = _form(name, direct, device, single=isinstance(bound, cst.For) and isinstance(bound.target, cst.Name))
            if form is None:
                return [], False
            forms[name] = form
        if isinstance(bound, cst.For):
            order = target_names(bound.target)
        elif isinstance(bound, cst.SimpleStatementLine):
            order = [n for small in bound.body if isinstance(small, cst.Assign) for target in small.targets for n in target_names(target.target)]
        else:
            return [], False
        if not set(names) <= set(order):
            return [], False
        names.sort(key=order.index)
        lines = _move_lines(names, [forms[name] for name in names], indent_of(self.file, bound) or "")
        doubtful = any(" for " in line for line in lines)
        if isinstance(bound, cst.For):
            return self._in_loop(bound, order, lines), doubtful
        if len(names) == 1 and (edits := self._on_assigned(bound, names[0], device)):
            return edits, doubtful
        edit = after_statement(self.file, bound, lines)
        return ([edit] if edit is not None else []), doubtful

    def _stands_by(self, bound: cst.CSTNode, one: Meets) -> bool:
        """Whether an operand stands in the text below the statement that bound its name, in the same function."""
        return one.site.frame is not None and any(b.statement is bound for b in one.site.frame.bound.values())

    def _in_loop(self, loop: cst.For, names: list[str], lines: list[str]) -> list[Edit]:
        """After the moves that the loop begins with already, else first in its body."""
        body = list(loop.body.body) if isinstance(loop.body, cst.IndentedBlock) else []
        last: cst.CSTNode | None = None
        for statement in body:
            if not _moves_one_of(statement, names):
                break
            last = statement
        edit = after_statement(self.file, last, lines) if last is not None else None
        edit = edit or top_of_body(self.file, loop.body, self.file.span(loop.iter).end, lines)
        return [edit] if edit is not None else []

    def _on_assigned(self, statement: cst.SimpleStatementLine, name: str, device: str) -> list[Edit]:
        """`x = batch[0]` becomes `x = batch[0].to(device)`."""
        match statement.body:
            case [cst.Assign(targets=[cst.AssignTarget(target=cst.Name(value=target))], value=value)] if target == name:
                if isinstance(value, cst.Subscript | cst.Call) and not value.lpar:
                    return list(call_on(self.file, value, f"to({device})"))
        return []

    def _inline(self, meets: Meets, device: str) -> tuple[Edit, ...]:
        return call_on(self.file, meets.operand, f"to({device})")

    def move_tensors(self, fact: TensorOnHost) -> Fix | None:
        """Move tensors that are made once: where they are bound, or where they are made."""
        site = fact.meets[0].site
        if any(one.site.spot.file is not self.file for one in fact.meets) or fact.origin.spot.file is not self.file:
            return None
        bound = fact.origin.bound
        here = bound is not None and any(binding.statement is bound.node for binding in fact.frame.bound.values())
        chosen = self.choose(site, fact.device, _model_name(fact.meets))
        names = list(dict.fromkeys(one.part for one in fact.meets))
        if here and bound is not None and isinstance(bound.node, cst.SimpleStatementLine) and self._ready(chosen, bound.node, site):
            if edits := self._bound_tensors(bound.node, names, fact, chosen):
                return _fix(f"move {_listed(names)} to `{chosen.text}`", [*chosen.edits, *edits], chosen.unsafe)
        if bound is None or contains(fact.meets[0].operand, fact.origin.spot.node):
            return self._move_created(fact.origin.spot, site, fact.device, fact.meets, _model_name(fact.meets))
        edits = [edit for one in fact.meets for edit in self._inline(one, chosen.text)]
        return _fix(f"move {_listed(names)} to `{chosen.text}`", [*chosen.edits, *edits], chosen.unsafe)

    def _bound_tensors(self, statement: cst.SimpleStatementLine, names: list[str], fact: TensorOnHost, chosen: Chosen) -> list[Edit]:
        order = [name for small in statement.body if isinstance(small, cst.Assign) for target in small.targets for name in target_names(target.target)]
        if not set(names) <= set(order):
            return []
        names = sorted(names, key=order.index)
        if len(names) == 1 and len(statement.body) == 1 and isinstance(small := statement.body[0], cst.Assign) and len(order) == 1:
            if (end := chain_end(self.file, small.value, fact.origin.spot.node)) is not None:
                return self._place_creation(fact.origin.spot.node, end, chosen.text)
            if isinstance(small.value, cst.Subscript | cst.Call) and not small.value.lpar:
                return list(call_on(self.file, small.value, f"to({chosen.text})"))
        lines = _move_lines(names, [f"{name}.to({chosen.text})" for name in names], indent_of(self.file, statement) or "")
        edit = after_statement(self.file, statement, lines)
        return [edit] if edit is not None else []

    def _place_creation(self, created: cst.CSTNode, end: cst.BaseExpression, device: str) -> list[Edit]:
        """`torch.zeros(n)` becomes `torch.zeros(n, device=device)`; random numbers and converted data are moved instead."""
        if created is end and isinstance(created, cst.Call) and _takes_device(created):
            return [self._add_argument(created, f"device={device}")]
        return list(call_on(self.file, end, f"to({device})"))

    def _add_argument(self, call: cst.Call, text: str) -> Edit:
        if not call.args:
            end = self.file.span(call).end - 1
            return Edit(end, end, text)
        last = call.args[-1]
        end = self.file.span(last.value).end
        source = self.file.source.text
        while last.value.rpar and source[end : end + 1] in ")] \n":
            end += 1
        return Edit(end, end, f", {text}")

    def _ready(self, chosen: Chosen, statement: cst.CSTNode, site: Site) -> bool:
        """Whether the device is bound before the statement."""
        if chosen.edits or site.frame is None:
            return True
        bound = site.frame.bound.get(chosen.text.partition(".")[0])
        if bound is None:
            return True
        return self._before(bound.statement, statement)

    def _move_created(self, created: Spot, site: Site, device: Device | None, meets: Sequence[Meets], model: str) -> Fix | None:
        if created.file is not self.file:
            return None
        chosen = self.choose(site, device, model)
        assert isinstance(created.node, cst.BaseExpression)
        end = _chain_around(self.file, created.node)
        return _fix(f"make it on `{chosen.text}`", [*chosen.edits, *self._place_creation(created.node, end, chosen.text)], chosen.unsafe)

    def move_model(self, fact: ModelOnHost) -> Fix | None:
        """`model = Net()` becomes `model = Net().to(device)`: before its optimizer is made."""
        binding = fact.binding
        if binding is None or binding.file is not self.file or not isinstance(binding.node, cst.SimpleStatementLine):
            return None
        chosen = self._device_for_model(fact)
        if chosen is None:
            return None
        made = next(
            (small.value for small in binding.node.body if isinstance(small, cst.Assign)), None
        )
        if made is None:
            return None
        target: cst.BaseExpression = made
        if fact.created.file is self.file and contains(made, fact.created.node) and isinstance(fact.created.node, cst.BaseExpression):
            target = chain_end(self.file, made, fact.created.node) or fact.created.node
        elif not isinstance(made, cst.Call):
            return None
        late = self._after_device(fact, chosen)
        if late is not None:
            return _fix(f"move the model to `{chosen.text}`", [late], False)
        return _fix(f"move the model to `{chosen.text}`", [*chosen.edits, *call_on(self.file, target, f"to({chosen.text})")], chosen.unsafe)

    def _device_for_model(self, fact: ModelOnHost) -> Chosen | None:
        if fact.device is not None and self._visible(fact.device.text, fact.site):
            return Chosen(fact.device.text)
        if fact.site.devices:
            return Chosen(fact.site.devices[0])
        feeding = fact.feeds[0].site if fact.feeds else fact.site
        if feeding.function is fact.site.function and feeding.devices and fact.device is not None:
            text = fact.device.text if fact.device.text in feeding.devices else feeding.devices[0]
            return Chosen(text)
        return self.defined()

    def _after_device(self, fact: ModelOnHost, chosen: Chosen) -> Edit | None:
        """Where the device is bound after the model is made: move the model right after that."""
        frame = fact.feeds[0].site.frame if fact.feeds else None
        if chosen.edits or frame is None or fact.binding is None or not fact.name.isidentifier():
            return None
        bound = frame.bound.get(chosen.text.partition(".")[0])
        if bound is None or not self._before(fact.binding.node, bound.statement):
            return None
        return after_statement(self.file, bound.statement, [f"{fact.name}.to({chosen.text})"])

    # -- rewrites -----------------------------------------------------------------------------------------------

    def portable_call(self, fact: CudaCall) -> Fix | None:
        """`x.cuda(non_blocking=True)` becomes `x.to(device, non_blocking=True)`."""
        assert isinstance(fact.call.func, cst.Attribute)
        if fact.site.guarded or fact.chosen:
            return None
        chosen = self.choose(fact.site, None)
        kept = [
            self._argument_text(arg) for arg in fact.call.args
            if arg.keyword is not None and arg.keyword.value in {"non_blocking", "async_", "memory_format"}
        ]
        arguments = ", ".join([chosen.text, *(text.replace("async_=", "non_blocking=") for text in kept)])
        start = self.file.span(fact.call.func.attr).start
        edits = [*chosen.edits, Edit(start, self.file.span(fact.call).end, f"to({arguments})")]
        unsafe = fact.fixed_index or fact.chosen or fact.receiver is Receiver.UNKNOWN
        return _fix(f"use `.to({chosen.text})`", edits, unsafe or chosen.unsafe)

    def _argument_text(self, arg: cst.Arg) -> str:
        assert arg.keyword is not None
        return f"{arg.keyword.value}={self.file.code(arg.value)}"

    def portable_literal(self, fact: CudaLiteral) -> Fix | None:
        """`"cuda"` becomes a device that falls back to the CPU."""
        span = self.file.span(fact.literal)
        unsafe = ":" in fact.text
        torch, imports = self._torch
        quote = self.file.code(fact.literal)
        guarded = f'{quote} if {torch}.cuda.is_available() else {quote[0]}cpu{quote[-1]}'
        match fact.use:
            case LiteralUse.DEFAULT:
                return None
            case LiteralUse.VARIABLE:
                return _fix("fall back to the CPU", [*imports, Edit(span.start, span.end, guarded)], unsafe)
            case LiteralUse.DEVICE:
                if fact.call is not None and len(fact.call.args) > 1:
                    call = self.file.span(fact.call)
                    return _fix("fall back to the CPU", [Edit(call.start, call.end, self.fallback)], True)
                return _fix("fall back to the CPU", [*imports, Edit(span.start, span.end, guarded)], unsafe)
            case _:
                chosen = self.choose(fact.site, None)
                return _fix(f"use `{chosen.text}`", [*chosen.edits, Edit(span.start, span.end, chosen.text)], unsafe or chosen.unsafe)

    def keep_result(self, fact: DiscardedMove) -> Fix | None:
        """`x.to(device)` becomes `x = x.to(device)`."""
        text = dotted(fact.moved)
        if fact.loop_variable_of:
            return self._move_display(fact)
        if not text:
            return None
        start = self.file.span(fact.call).start
        return _fix("keep the result", [Edit(start, start, f"{text} = ")], fact.receiver is not Receiver.TENSOR)

    def _move_display(self, fact: DiscardedMove) -> Fix | None:
        """A loop over `(left, right)` that drops each move becomes the moves themselves."""
        names = [dotted(element) for element in fact.loop_variable_of]
        loop = next((node for node in reversed(fact.site.loops) if isinstance(node, cst.For)), None)
        if loop is None or not all(names) or len(loop.body.body) != 1 or loop.orelse is not None:
            return None
        variable = dotted(fact.moved)
        call = self.file.code(fact.call)
        moved = [re.sub(rf"^{re.escape(variable)}\b", name, call) for name in names]
        span = self.file.span(loop)
        end = span.end
        return _fix("keep the results", [Edit(span.start, end, f"{', '.join(names)} = {', '.join(moved)}\n")], False) if self.file.source.text[end - 1 : end] == "\n" else _fix(
            "keep the results", [Edit(span.start, end, f"{', '.join(names)} = {', '.join(moved)}")], False
        )

    def bring_home(self, fact: HostReadsDevice) -> Fix | None:
        """`x.numpy()` becomes `x.cpu().numpy()`, with a `.detach()` where a gradient may hang on it."""
        return _fix("bring it home first", list(call_on(self.file, fact.tensor, "detach().cpu()" if fact.grad else "cpu()")), False)


def _site_in_need(fact: object) -> Site | None:
    """Where a fact needs a device expression, if it does."""
    match fact:
        case CudaCall(site=site) if not site.guarded and not fact.chosen:
            return site
        case CudaLiteral(site=site) if not site.guarded and fact.use in (LiteralUse.KEYWORD, LiteralUse.MOVE, LiteralUse.MAP_LOCATION):
            return site
        case BatchOnHost(meets=meets) | TensorOnHost(meets=meets):
            site = meets[0].site
            name = _model_name(meets).partition(".")[0]
            given = site.function is not None and name in {param.name.value for param in site.function.parameters}
            return None if given else site
        case ModelOnHost(site=site):
            return site
        case _:
            return None


def _main_block(module: cst.Module, node: cst.CSTNode) -> cst.If | None:
    """The `if __name__ == "__main__":` around a node, if it stands in one."""
    for statement in module.body:
        if isinstance(statement, cst.If) and isinstance(statement.test, cst.Comparison) and contains(statement.test, node) is False:
            if any(isinstance(n, cst.Name) and n.value == "__name__" for n in descendants(statement.test)) and contains(statement, node):
                return statement
    return None


_EXPRESSIONS = {
    "cuda": 'torch.device("cuda" if torch.cuda.is_available() else "cpu")',
    "accelerator": 'torch.accelerator.current_accelerator() if torch.accelerator.is_available() else torch.device("cpu")',
}


def _fix(message: str, edits: Iterable[Edit], unsafe: bool) -> Fix | None:
    edits = tuple(edits)
    return Fix(message, edits, Applicability.UNSAFE if unsafe else Applicability.SAFE) if edits else None


def _model_name(meets: Sequence[Meets]) -> str:
    """The name of the module that is called with the operand, where one is."""
    for one in meets:
        if isinstance(one.site.spot.node, cst.Call) and contains(one.site.spot.node, one.operand):
            name = dotted(one.site.spot.node.func)
            if name and not name.startswith(("torch.", "F.", "nn.")) and one.device is None or name and one.partner == "":
                return name.removesuffix(".forward")
    return ""


def _by_binding(meets: Sequence[Meets]) -> Iterable[tuple[Spot | None, list[Meets]]]:
    """The meetings of a batch by the statement that bound the part they are about."""
    groups: dict[cst.CSTNode | None, tuple[Spot | None, list[Meets]]] = {}
    for one in meets:
        groups.setdefault(one.bound.node if one.bound is not None else None, (one.bound, []))[1].append(one)
    return groups.values()


def _devices_of(frame: Frame) -> tuple[str, ...]:
    return tuple(name for name, value in frame.env.items() if looks_like_device(name, value))


def _moves_one_of(statement: cst.CSTNode, names: Sequence[str]) -> bool:
    """`x = x.to(device)`, or several at once, of names that the loop binds."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            return bool(target_names(target)) and set(target_names(target)) <= set(names) and ".to" in {
                "." + node.attr.value for node in descendants(value) if isinstance(node, cst.Attribute)
            }
        case _:
            return False


def _form(name: str, meets: Sequence[Meets], device: str, single: bool) -> str | None:
    """How a batch of this name is moved, told from how its parts are taken out of it.

    single: the name is the whole of what the loader yields, so nothing is known of it but its uses.
    """
    if not meets:
        return None if single else f"{name}.to({device})"
    if not any(_taken_apart(one.operand, name) for one in meets):
        spread = [arg for one in meets for arg in _arguments_of(one) if arg.value is one.operand and arg.star]
        if not spread:
            return f"{name}.to({device})"
        if all(arg.star == "**" for arg in spread):
            return f"{{key: value.to({device}) for key, value in {name}.items()}}"
        return f"[part.to({device}) for part in {name}]"
    kinds = {_kind_of_access(one.operand, name) for one in meets}
    if kinds == {"key"}:
        return f"{{key: value.to({device}) for key, value in {name}.items()}}"
    if kinds == {"index"}:
        return f"[part.to({device}) for part in {name}]"
    return f"{name}.to({device})" if kinds == {"attribute"} else None


def _arguments_of(one: Meets) -> Sequence[cst.Arg]:
    return one.site.spot.node.args if isinstance(one.site.spot.node, cst.Call) else ()


def _taken_apart(operand: cst.BaseExpression, name: str) -> bool:
    return any(
        isinstance(node, cst.Subscript | cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == name
        and not isinstance(node, cst.Attribute)
        for node in descendants(operand)
    )


def _kind_of_access(operand: cst.BaseExpression, name: str) -> str:
    for node in descendants(operand):
        match node:
            case cst.Subscript(value=cst.Name(value=root), slice=[cst.SubscriptElement(slice=cst.Index(value=key))]) if root == name:
                return "key" if isinstance(key, cst.SimpleString) else "index" if isinstance(key, cst.Integer) else "other"
            case cst.Attribute(value=cst.Name(value=root)) if root == name:
                return "attribute"
    return "other"


def _move_lines(names: list[str], values: list[str], indent: str) -> list[str]:
    """One line where it stays short, else one a name."""
    line = f"{', '.join(names)} = {', '.join(values)}"
    if len(names) == 1 or (len(names) <= 3 and len(indent) + 4 + len(line) <= 88):
        return [line]
    return [f"{name} = {value}" for name, value in zip(names, values, strict=True)]


def _takes_device(call: cst.Call) -> bool:
    """Factories that take `device=` and give the same numbers on any device."""
    name = dotted(call.func).rpartition(".")[2]
    return name in {
        "zeros", "ones", "empty", "full", "arange", "linspace", "logspace", "eye", "tensor", "as_tensor", "tril_indices", "triu_indices"
    } and name not in RANDOM_FACTORIES and not any(arg.star for arg in call.args)


def _chain_around(file: ParsedFile, node: cst.BaseExpression) -> cst.BaseExpression:
    """The longest chain of conversions around a creation: `torch.from_numpy(x).float()`."""
    spans = file.spans
    start = spans[node].start
    best: cst.BaseExpression = node
    for other in descendants(file.module):
        if (
            isinstance(other, cst.Call)
            and isinstance(other.func, cst.Attribute)
            and other.func.attr.value in {"float", "long", "double", "int", "half", "unsqueeze", "view", "reshape", "bool"}
            and spans[other].start == start
            and spans[other].end > spans[best].end
            and chain_end(file, other, node) is not None
        ):
            best = other
    return best


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _imports(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(small, cst.Import | cst.ImportFrom) for small in statement.body
    )


def _only_imports(statement: cst.Try | cst.If) -> bool:
    body = statement.body.body
    return bool(body) and all(_imports(inner) for inner in body)


def _module_names(module: cst.Module) -> Iterable[str]:
    """Names that the top level of a file binds."""
    waiting: list[cst.CSTNode] = list(module.body)
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
                from devlint.analysis.syntax import children

                waiting.extend(children(node))

