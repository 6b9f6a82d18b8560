"""Moving values: batches in their loops, tensors where they are made, models before their optimizers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import libcst as cst

from devlint.analysis.devices import looks_like_device
from devlint.analysis.facts import BatchOnHost, Meets, ModelOnHost, Site, TensorOnHost
from devlint.analysis.frame import Frame
from devlint.analysis.parsed import ParsedFile, Spot
from devlint.analysis.placement import Device
from devlint.analysis.syntax import assigned_names, descendants, dotted, root_name, target_names
from devlint.analysis.torch_table import RANDOM_FACTORIES
from devlint.analysis.values import Form, Module, Modules, Origin, Source
from devlint.finding import Applicability, Edit, Fix
from devlint.fixes.anchors import (
    after_statement,
    call_on,
    chain_end,
    contains,
    in_one_block,
    indent_of,
    line_end,
    top_of_body,
)
from devlint.fixes.device_choice import Chosen, DeviceChoice, model_name


class Moves(DeviceChoice):
    """Fixes that put a value where its partner is."""

    def move_batch(self, fact: BatchOnHost) -> Fix | None:
        """Move a batch at the top of its loop, after the statement that takes it, or where it is used."""
        if fact.origin.source is Source.DATA and not _made_by_map(fact.origin.spot.node):
            return self._move_created(fact.origin, fact.meets[0].site, fact.device, model_name(fact.meets))
        edits: list[Edit] = []
        texts: list[str] = []
        unsafe = False
        for bound, meets in _by_binding(fact.meets):
            if (bound or meets[0].site.spot).file is not self.file:
                return None
            if bound is not None and _is_column(bound.node, meets, fact.origin.form):
                return None
            chosen = self._for_group(bound, meets, fact)
            moved, doubtful = self._moves_at(bound.node if bound is not None else None, meets, chosen.text, fact)
            if not moved:
                if any(one.site.spot.file is not self.file for one in meets):
                    return None
                if any(one.container for one in meets):
                    return None
                if any(self._is_target(one.operand) for one in meets):
                    return None
                moved, elsewhere = self._where_they_meet(meets, chosen, fact.device)
                doubtful = doubtful or elsewhere
            edits.extend(edit for edit in (*chosen.edits, *moved) if edit not in edits)
            texts.append(chosen.text)
            unsafe = unsafe or doubtful or chosen.unsafe
        return fix_of(f"move the batch to `{texts[0]}`", edits, unsafe) if texts else None

    def _for_group(self, bound: Spot | None, meets: Sequence[Meets], fact: BatchOnHost) -> Chosen:
        """The device for moves that stand where `bound` stands, which may be a caller of where they meet."""
        frame = meets[0].site.frame
        while frame is not None and bound is not None and not frame.binds_by(bound.node):
            frame = frame.caller
        site = meets[0].site
        if frame is not None and frame is not site.frame:
            site = replace(
                site,
                function=frame.function,
                frame=frame,
                devices=_devices_of(frame),
                statement=bound.node if bound is not None else site.statement,
            )
        return self.choose(site, fact.device, model_name([one for one in meets if one.site.frame is frame]))

    def _moves_at(
        self, bound: cst.CSTNode | None, meets: Sequence[Meets], device: str, fact: BatchOnHost
    ) -> tuple[list[Edit], bool]:
        names = list(dict.fromkeys(one.part for one in meets))
        if bound is None or not all(name.isidentifier() for name in names):
            return [], False
        forms: dict[str, str] = {}
        opaque = False
        for name in names:
            direct = [
                one
                for one in meets
                if one.part == name and root_name(one.operand) == name and self._stands_by(bound, one)
            ]
            if fact.origin.opaque and not direct:
                return [], False  # what its parts are can be told only where they are used
            form = _form(name, direct, device, single=isinstance(bound, cst.For) and isinstance(bound.target, cst.Name))
            if form is None or (form.startswith("[") and _read_by_name(bound, name)):
                return [], False
            forms[name] = self._but_what_stays(form, fact.origin.form, device)
            unknown = fact.origin.opaque and not (fact.origin.form is not None and fact.origin.form.sure)
            opaque = opaque or (unknown and all(one.fed for one in meets if one.part == name))
        if isinstance(bound, cst.For):
            order = target_names(bound.target)
        elif isinstance(bound, cst.SimpleStatementLine):
            order = assigned_names(bound)
        else:
            return [], False
        if not set(names) <= set(order):
            return [], False
        names.sort(key=order.index)
        lines = _move_lines(names, [forms[name] for name in names], indent_of(self.file, bound) or "")
        known = fact.origin.form
        rebuilt = [
            form
            for form in forms.values()
            if " for " in form and not _all_known(known, form) and not _asks_each_part_of_a_dict(known, form)
        ]
        doubtful = any(not self._done_elsewhere(form) for form in rebuilt) or any(
            _looped_over(bound, name) for name in names
        )
        doubtful = doubtful or opaque
        if isinstance(bound, cst.For):
            return self._in_loop(bound, order, lines), doubtful
        plain = len(names) == 1 and forms[names[0]] == f"{names[0]}.to({device})"
        if plain and (edits := self._on_assigned(bound, names[0], device)):
            return edits, doubtful
        edit = after_statement(self.file, bound, lines)
        return ([edit] if edit is not None else []), doubtful

    def _but_what_stays(self, text: str, form: Form | None, device: str) -> str:
        """A batch rebuilt part by part: where some are known to be no tensors, each part is asked."""
        if " for " not in text or form is None or form.kind == "part" or (form.sure and not form.still):
            return text
        name = "value" if text.startswith("{") else "part"
        move = f".to({device})"
        return text.replace(name + move, if_tensor(name, move, self._torch[0]), 1)

    def _done_elsewhere(self, form: str) -> bool:
        """Whether the file rebuilds another batch just so: then its batches are made of tensors."""
        dict_form = form.startswith("{")
        pattern = (
            r"\{\s*(\w+)\s*:\s*(\w+)\.to\([^()]*\)\s*for\s+\(?\1\s*,\s*\2\)?\s+in\s+\w+\.items\(\)\s*\}"
            if dict_form
            else r"[\[(]\s*(\w+)\.to\([^()]*\)\s*for\s+\1\s+in\s+\w+\s*[\])]"
        )
        return re.search(pattern, self.file.source.text) is not None

    def _stands_by(self, bound: cst.CSTNode, one: Meets) -> bool:
        """Whether an operand stands in the text below the statement that bound its name, in the same function."""
        return one.site.frame is not None and one.site.frame.binds_by(bound)

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

    def _where_they_meet(
        self, meets: Sequence[Meets], chosen: Chosen, device: Device | None
    ) -> tuple[list[Edit], bool]:
        """Each operand is moved where it stands; in another function than the first one the device may be another.

        The second result: whether one of the devices is doubtful.
        """
        edits: list[Edit] = []
        doubtful = chosen.unsafe
        for one in meets:
            here = chosen
            if one.site.function is not meets[0].site.function:
                here = self.choose(one.site, device, model_name([one]))
                edits += here.edits
                doubtful = doubtful or here.unsafe
            edits += self._inline(one, here.text)
        return edits, doubtful

    def move_tensors(self, fact: TensorOnHost) -> Fix | None:
        """Move tensors that are made once: where they are bound, or where they are made."""
        site = fact.meets[0].site
        if any(one.site.spot.file is not self.file for one in fact.meets) or fact.origin.spot.file is not self.file:
            return None
        if fact.origin.stuck:
            return self._move_behind(fact, site)
        if fact.origin.in_module:
            return self._move_created(fact.origin, site, fact.device, "")
        if fact.loaded and any(one.container for one in fact.meets):
            return None
        bound = fact.origin.bound if not fact.loaded else None
        binder = _binder(fact.frame, bound)
        here = binder is not None
        if binder is not None and bound is not None and binder is not fact.frame:
            site = replace(
                site, function=binder.function, frame=binder, devices=_visible_from(binder), statement=bound.node
            )
        chosen = self.choose(site, fact.device, model_name(fact.meets) if site.frame is fact.frame else "")
        names = list(dict.fromkeys(one.part for one in fact.meets))
        if (
            here
            and bound is not None
            and isinstance(bound.node, cst.SimpleStatementLine)
            and self._ready(chosen, bound.node, site)
        ):
            edits = self._bound_tensors(bound.node, names, fact.origin.spot.node, chosen)
            for other in fact.origin.others:
                if other.bound is not None and isinstance(other.bound.node, cst.SimpleStatementLine):
                    edits += self._bound_tensors(other.bound.node, names, other.spot.node, chosen)
            if edits:
                return fix_of(f"move {_listed(names)} to `{chosen.text}`", [*chosen.edits, *edits], chosen.unsafe)
        if here and bound is not None and (edit := self._once_device_is_known(bound.node, names, fact, chosen)):
            return fix_of(f"move {_listed(names)} to `{chosen.text}`", [edit], chosen.unsafe)
        if not fact.loaded and (bound is None or contains(fact.meets[0].operand, fact.origin.spot.node)):
            return self._move_created(fact.origin, site, fact.device, model_name(fact.meets))
        if any(one.container for one in fact.meets):
            return self._move_created(fact.origin, site, fact.device, "")
        if any(self._is_target(one.operand) for one in fact.meets):
            return None
        edits, doubtful = self._where_they_meet(fact.meets, chosen, fact.device)
        return fix_of(f"move {_listed(names)} to `{chosen.text}`", [*chosen.edits, *edits], doubtful)

    def _move_behind(self, fact: TensorOnHost, site: Site) -> Fix | None:
        """What was made of it and of a tensor that stays on the host is moved where it meets a device."""
        if any(one.container or self._is_target(one.operand) for one in fact.meets):
            return None
        chosen = (self.of_module(site, inputs=True) if fact.origin.in_module else None) or self.choose(
            site, fact.device, model_name(fact.meets)
        )
        edits, doubtful = self._where_they_meet(fact.meets, chosen, fact.device)
        return fix_of(f"move it to `{chosen.text}`", [*chosen.edits, *edits], doubtful)

    def _is_target(self, operand: cst.BaseExpression) -> bool:
        """The left side of `total += x`, or `**batch`: no place for a call."""
        return any(
            (isinstance(n, cst.AugAssign) and n.target is operand)
            or (isinstance(n, cst.Arg) and n.star and n.value is operand)
            for n in descendants(self.file.module)
        )

    def _once_device_is_known(
        self, bound: cst.CSTNode, names: list[str], fact: TensorOnHost, chosen: Chosen
    ) -> Edit | None:
        """After `device = ...`, where that stands in the same block, behind the tensors and before what uses them."""
        site = fact.meets[0].site
        if chosen.edits or site.frame is None or fact.origin.others or not all(name.isidentifier() for name in names):
            return None
        defined = site.frame.bound.get(chosen.text.partition(".")[0])
        if defined is None or not in_one_block(self.file.module, bound, defined.statement):
            return None
        behind = all(
            one.bound == fact.origin.bound or self._before(one.bound.node, defined.statement)
            for one in fact.meets
            if one.bound is not None
        )
        first = all(
            one.site.frame is not site.frame or self._before(defined.statement, one.operand) for one in fact.meets
        )
        if not behind or not first:
            return None
        lines = _move_lines(
            names, [f"{name}.to({chosen.text})" for name in names], indent_of(self.file, defined.statement) or ""
        )
        return after_statement(self.file, defined.statement, lines)

    def _bound_tensors(
        self, statement: cst.SimpleStatementLine, names: list[str], created: cst.CSTNode, chosen: Chosen
    ) -> list[Edit]:
        order = assigned_names(statement)
        if not set(names) <= set(order):
            return []
        names = sorted(names, key=order.index)
        if (
            len(names) == 1
            and len(statement.body) == 1
            and isinstance(small := statement.body[0], cst.Assign)
            and len(order) == 1
        ):
            if (end := chain_end(small.value, created)) is not None:
                return self._place_creation(created, end, chosen.text)
            if isinstance(small.value, cst.Subscript | cst.Call) and not small.value.lpar:
                return list(call_on(self.file, small.value, f"to({chosen.text})"))
        lines = _move_lines(
            names, [f"{name}.to({chosen.text})" for name in names], indent_of(self.file, statement) or ""
        )
        edit = after_statement(self.file, statement, lines)
        return [edit] if edit is not None else []

    def _place_creation(self, created: cst.CSTNode, end: cst.BaseExpression, device: str) -> list[Edit]:
        """`torch.zeros(n)` becomes `torch.zeros(n, device=device)`; random numbers are moved."""
        if created is end and isinstance(created, cst.Call) and _takes_device(created):
            return [self._add_argument(created, f"device={device}")]
        return list(call_on(self.file, end, f"to({device})"))

    def _add_argument(self, call: cst.Call, text: str) -> Edit:
        if not call.args:
            end = self.file.span(call).end - 1
            return Edit(end, end, text)
        last = call.args[-1]
        end = self.file.outer(last.value).end
        return Edit(end, end, f", {text}")

    def _ready(self, chosen: Chosen, statement: cst.CSTNode, site: Site) -> bool:
        """Whether the device is bound before the statement."""
        if chosen.edits or site.frame is None:
            return True
        bound = site.frame.bound.get(chosen.text.partition(".")[0])
        if bound is None:
            return True
        return self._before(bound.statement, statement)

    def _move_created(self, origin: Origin, site: Site, device: Device | None, model: str) -> Fix | None:
        """Where it is made, on a device that can be seen there."""
        created, frame = origin.spot, origin.frame
        if created.file is not self.file:
            return None
        if frame is not None and frame is not site.frame:
            site = replace(
                site,
                spot=created,
                statement=created.node,
                function=frame.function,
                frame=frame,
                devices=_visible_from(frame),
            )
        chosen = (self.of_module(site, inputs=True) if origin.in_module else None) or self.choose(site, device, model)
        assert isinstance(created.node, cst.BaseExpression)
        edits = list(chosen.edits)
        for spot in (created, *(other.spot for other in origin.others if other.bound is None)):
            if spot.file is not self.file or not isinstance(spot.node, cst.BaseExpression):
                return None
            edits += self._place_creation(spot.node, _chain_around(self.file, spot.node), chosen.text)
        return fix_of(f"make it on `{chosen.text}`", edits, chosen.unsafe)

    def move_model(self, fact: ModelOnHost) -> Fix | None:
        """`model = Net()` becomes `model = Net().to(device)`: before its optimizer is made."""
        binding = fact.binding
        if binding is None or binding.file is not self.file or not isinstance(binding.node, cst.SimpleStatementLine):
            return None
        runs = [call for one in fact.feeds for call in one.site.calls if call.file is self.file]
        if not contains(binding.node, fact.created.node) and any(contains(binding.node, run.node) for run in runs):
            return None  # made elsewhere, it has run by the time that it is bound
        chosen = self._device_for_model(fact)
        if chosen is None:
            return None
        if fact.alternatives and any(
            spot.file is self.file and self._bound_elsewhere(spot, binding.node)
            for spot in (fact.created, *fact.alternatives)
        ):
            return self._after_branches(fact, chosen)
        assigned = next((small for small in binding.node.body if isinstance(small, cst.Assign)), None)
        made = _named_within(binding.node, fact.name) or (assigned.value if assigned is not None else None)
        if made is None:
            return self._move_where_made(fact, binding.node, chosen)
        target: cst.BaseExpression = made
        if (
            fact.created.file is self.file
            and contains(made, fact.created.node)
            and isinstance(fact.created.node, cst.BaseExpression)
        ):
            target = chain_end(made, fact.created.node) or fact.created.node
        elif not isinstance(made, cst.Call) or (assigned is not None and not _binds_a_module(assigned, fact.site)):
            return None
        late = self._after_device(fact, chosen)
        if late is not None:
            return fix_of(f"move the model to `{chosen.text}`", [late], False)
        return fix_of(
            f"move the model to `{chosen.text}`",
            [*chosen.edits, *call_on(self.file, target, f"to({chosen.text})")],
            chosen.unsafe,
        )

    def _move_where_made(self, fact: ModelOnHost, statement: cst.CSTNode, chosen: Chosen) -> Fix | None:
        """`fit(Net())` becomes `fit(Net().to(device))`."""
        made = fact.created.node
        if fact.created.file is not self.file or not isinstance(made, cst.Call) or not contains(statement, made):
            return None
        edits = [*chosen.edits, *call_on(self.file, made, f"to({chosen.text})")]
        return fix_of(f"move the model to `{chosen.text}`", edits, chosen.unsafe)

    def _bound_elsewhere(self, spot: Spot, statement: cst.CSTNode) -> bool:
        """Whether another statement binds what is made at `spot`."""
        return not contains(statement, spot.node) and any(
            isinstance(node, cst.SimpleStatementLine)
            and any(isinstance(small, cst.Assign) for small in node.body)
            and contains(node, spot.node)
            for node in descendants(self.file.module)
        )

    def _after_branches(self, fact: ModelOnHost, chosen: Chosen) -> Fix | None:
        """Each branch makes its model: the move stands once, after all of them."""
        spots = [fact.created, *fact.alternatives]
        if not fact.name.isidentifier() or any(spot.file is not self.file for spot in spots):
            return None
        spans = self.file.spans
        around = [
            node
            for node in descendants(self.file.module)
            if isinstance(node, cst.If) and all(contains(node, spot.node) for spot in spots)
        ]
        if not around:
            return None
        inner = min(around, key=lambda node: spans[node].end - spans[node].start)
        indent = indent_of(self.file, inner)
        if indent is None:
            return None
        edit = line_end(self.file, spans[inner].end, indent, [f"{fact.name} = {fact.name}.to({chosen.text})"])
        return fix_of(f"move the model to `{chosen.text}`", [*chosen.edits, edit], chosen.unsafe)

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


def fix_of(message: str, edits: Iterable[Edit], unsafe: bool) -> Fix | None:
    edits = tuple(edits)
    return Fix(message, edits, Applicability.UNSAFE if unsafe else Applicability.SAFE) if edits else None


def _made_by_map(node: cst.CSTNode) -> bool:
    """`map(torch.tensor, rows)`: no tensor, an iterator over some."""
    return isinstance(node, cst.Call) and dotted(node.func) == "map"


def _named_within(statement: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """The value of `name := value` in a statement."""
    for node in descendants(statement):
        if isinstance(node, cst.NamedExpr) and dotted(node.target) == name:
            return node.value
    return None


def _binds_a_module(statement: cst.Assign, site: Site) -> bool:
    """Whether what a statement binds is the module: not something else that was made with it, nor several things."""
    target = statement.targets[0].target
    if isinstance(target, cst.Name):
        return site.frame is None or isinstance(site.frame.lookup(target.value), Module | Modules)
    return isinstance(target, cst.Attribute)


def _by_binding(meets: Sequence[Meets]) -> Iterable[tuple[Spot | None, list[Meets]]]:
    """The meetings of a batch by each statement that bound the part they are about."""
    groups: dict[cst.CSTNode | None, tuple[Spot | None, list[Meets]]] = {}
    for one in meets:
        for bound in (one.bound, *one.others):
            groups.setdefault(bound.node if bound is not None else None, (bound, []))[1].append(one)
    return groups.values()


def _binder(frame: Frame, bound: Spot | None) -> Frame | None:
    """The running body, this one or one around it, whose statement bound a name."""
    scope: Frame | None = frame
    while bound is not None and scope is not None:
        if scope.binds_by(bound.node):
            return scope
        scope = scope.outer
    return None


def _visible_from(frame: Frame) -> tuple[str, ...]:
    """Devices of a running body and of the scopes around it."""
    found: list[str] = []
    scope: Frame | None = frame
    while scope is not None:
        found.extend(_devices_of(scope))
        scope = scope.outer
    return tuple(dict.fromkeys(found))


def _devices_of(frame: Frame) -> tuple[str, ...]:
    return tuple(name for name, value in frame.env.items() if looks_like_device(name, value))


def _looped_over(statement: cst.CSTNode, name: str) -> bool:
    """Whether a part of a batch is itself looped over: a sequence, which has no `.to`."""
    return any(
        isinstance(node, cst.For | cst.CompFor)
        and node is not statement
        and isinstance(node.iter, cst.Name)
        and node.iter.value == name
        for node in descendants(statement)
    )


def _moves_one_of(statement: cst.CSTNode, names: Sequence[str]) -> bool:
    """`x = x.to(device)`, or several at once, of names that the loop binds."""
    match statement:
        case cst.SimpleStatementLine(body=[cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)]):
            return (
                bool(target_names(target))
                and set(target_names(target)) <= set(names)
                and ".to" in {"." + node.attr.value for node in descendants(value) if isinstance(node, cst.Attribute)}
            )
        case _:
            return False


def _is_column(bound: cst.CSTNode, meets: Sequence[Meets], form: Form | None) -> bool:
    """Whether what meets is a column of the samples, a tuple or a list, and not one of its members."""
    if form is None or form.kind != "columns" or not isinstance(bound, cst.For):
        return False
    names = target_names(bound.target)
    return any(isinstance(one.operand, cst.Name) and one.operand.value in names for one in meets)


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
    if any(_nested(one.operand, name) for one in meets):
        return None
    kinds = {_kind_of_access(one.operand, name) for one in meets}
    if kinds == {"key"}:
        return f"{{key: value.to({device}) for key, value in {name}.items()}}"
    if kinds == {"index"}:
        return f"[part.to({device}) for part in {name}]"
    return f"{name}.to({device})" if kinds == {"attribute"} else None


def if_tensor(value: str, move: str, torch: str) -> str:
    """`value.to(device)`, where `value` is a tensor; else `value` itself."""
    return f"{value}{move} if isinstance({value}, {torch}.Tensor) else {value}"


def _all_known(form: Form | None, text: str) -> bool:
    """Whether it is known which parts of a batch, rebuilt as in `text`, are tensors."""
    return form is not None and form.sure and (form.kind == "dict") == text.startswith("{") and form.kind != "part"


def _asks_each_part_of_a_dict(form: Form | None, text: str) -> bool:
    """Whether a batch that is known to be a dict is rebuilt with what is no tensor left as it is."""
    return form is not None and form.kind in {"dict", "collated"} and text.startswith("{") and "isinstance(" in text


def _arguments_of(one: Meets) -> Sequence[cst.Arg]:
    return one.site.spot.node.args if isinstance(one.site.spot.node, cst.Call) else ()


def _read_by_name(around: cst.CSTNode, name: str) -> bool:
    """Whether `batch.y` is read as well as `batch[0]`: a named tuple, which a list would not replace."""
    return any(
        isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == name
        for node in descendants(around)
    )


def _taken_apart(operand: cst.BaseExpression, name: str) -> bool:
    return any(
        isinstance(node, cst.Subscript | cst.Attribute)
        and isinstance(node.value, cst.Name)
        and node.value.value == name
        and not isinstance(node, cst.Attribute)
        for node in descendants(operand)
    )


def _nested(operand: cst.BaseExpression, name: str) -> bool:
    """Whether an operand is taken out of a part, as `batch["target"]["boxes"]` is: that part has no `.to`."""
    return any(
        isinstance(node, cst.Subscript)
        and isinstance(node.value, cst.Subscript)
        and isinstance(node.value.value, cst.Name)
        and node.value.value.value == name
        for node in descendants(operand)
    )


def _kind_of_access(operand: cst.BaseExpression, name: str) -> str:
    for node in descendants(operand):
        match node:
            case cst.Subscript(
                value=cst.Name(value=root), slice=[cst.SubscriptElement(slice=cst.Index(value=key))]
            ) if root == name:
                return (
                    "key" if isinstance(key, cst.SimpleString) else "index" if isinstance(key, cst.Integer) else "other"
                )
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
    return (
        name
        in {
            "zeros",
            "ones",
            "empty",
            "full",
            "arange",
            "linspace",
            "logspace",
            "eye",
            "tensor",
            "as_tensor",
            "tril_indices",
            "triu_indices",
        }
        and name not in RANDOM_FACTORIES
        and not any(arg.star for arg in call.args)
    )


def _chain_around(file: ParsedFile, node: cst.BaseExpression) -> cst.BaseExpression:
    """The longest chain of conversions around a creation: `torch.from_numpy(x).float()`."""
    spans = file.spans
    start = spans[node].start
    best: cst.BaseExpression = node
    for other in descendants(file.module):
        if (
            isinstance(other, cst.Call)
            and isinstance(other.func, cst.Attribute)
            and other.func.attr.value
            in {"float", "long", "double", "int", "half", "unsqueeze", "view", "reshape", "bool"}
            and spans[other].start == start
            and spans[other].end > spans[best].end
            and chain_end(other, node) is not None
        ):
            best = other
    return best


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names if name) or "the tensor"
