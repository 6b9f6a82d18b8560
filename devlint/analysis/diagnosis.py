"""From the notes of a run to facts: the decisions that need the whole program."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.attributes import attributes, belongs_to_module
from devlint.analysis.facts import (
    BatchOnHost,
    HostReadsDevice,
    Meets,
    ModelOnHost,
    ModelRole,
    Site,
    TensorAttribute,
    TensorOnHost,
)
from devlint.analysis.frame import Frame, FunctionInfo
from devlint.analysis.heap import Object, children
from devlint.analysis.parsed import ParsedFile, Spot, is_test_file
from devlint.analysis.placement import Device
from devlint.analysis.syntax import descendants, root_name
from devlint.analysis.torch_table import LOSSES
from devlint.analysis.values import Module, Origin, Source

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter
    from devlint.analysis.meetings import Feed, HostMeeting, Meetings


def facts_from(run: Interpreter) -> dict[Path, list[object]]:
    """All facts of a run, by the file they stand in."""
    facts: dict[Path, list[object]] = {}

    def note(file: ParsedFile, fact: object) -> None:
        facts.setdefault(file.path, []).append(fact)

    notes = run.meetings
    for found in (notes.hard_coded.calls, notes.hard_coded.literals, notes.drops.found, notes.doubts.found):
        for fact in found.values():
            note(fact.site.spot.file, fact)
    for read in notes.reads.values():
        note(read.site.spot.file, replace(read, mixed=_may_be_no_tensor(run, read)))
    for spot, noticed in notes.portability.facts():
        note(spot.file, noticed)
    for spot, noticed in notes.transfers.facts():
        note(spot.file, noticed)
    for attribute in attributes(run, (meeting for meetings in notes.attributes.values() for meeting in meetings)):
        note(attribute.kept.spot.file, attribute)
    for unregistered in notes.containers.facts():
        note(unregistered.site.spot.file, unregistered)
    for stale in notes.stale.facts():
        note(stale.site.spot.file, stale)
    for early in notes.order.facts():
        note(early.site.spot.file, early)
    for leaf in notes.leaves.facts():
        note(leaf.site.spot.file, leaf)
    for fleeting in notes.fleeting.facts():
        note(fleeting.made.file, fleeting)
    for left in (*_grouped(run, notes.host), *_models_on_host(run), *_never_moved(run), *_evidence(notes)):
        match left:
            case ModelOnHost(site=site):
                place = site.spot
            case TensorAttribute(kept=kept):
                place = kept.spot
            case _:
                place = left.origin.spot
        note(place.file, left)
    return facts


def _may_be_no_tensor(run: Interpreter, read: HostReadsDevice) -> bool:
    """Whether a function of a host library is given something else on other calls: by this file, or by who knows whom.

    `x.numpy()` tells what `x` is; `np.stack(x)` does not.
    """
    call = read.site.spot.node
    if isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.value is read.tensor:
        return False
    function = read.site.function
    if read.tensor in run.meetings.read_otherwise:
        return True
    handed = function is not None and root_name(read.tensor) in {param.name.value for param in function.parameters}
    return handed and read.site.spot.file is not run.entry


# -- something is on a device, something else is not -------------------------------------------------------------


def _grouped(
    run: Interpreter, meetings_by_origin: dict[cst.CSTNode, list[HostMeeting]]
) -> Iterator[BatchOnHost | TensorOnHost | TensorAttribute]:
    """One fact for each loop, one for each attribute, and one for each statement that binds tensors made once."""
    notes = run.meetings
    kept: list[HostMeeting] = []
    by_statement: dict[cst.CSTNode, list[HostMeeting]] = {}
    for meetings in meetings_by_origin.values():
        kept += (meeting for meeting in meetings if belongs_to_module(run, meeting.origin))
        open_ = [
            m for m in _first_causes(meetings) if not belongs_to_module(run, m.origin) and not _explained(notes, m)
        ]
        if not open_:
            continue
        origin = open_[0].origin
        fed = any(m.fed or m.loss for m in open_)
        if origin.source is Source.LOADER or (origin.source is Source.DATA and origin.in_loop and fed):
            first = open_[0]
            yield BatchOnHost(origin, _distinct(m.meets for m in open_), _device(open_), _partner(open_), first.frame)
            continue
        for meeting in open_:
            bound = meeting.origin.bound.node if meeting.origin.bound is not None else meeting.origin.spot.node
            by_statement.setdefault(bound, []).append(meeting)
    yield from attributes(run, kept)
    for group in by_statement.values():
        yield TensorOnHost(
            group[0].origin,
            _distinct(m.meets for m in group),
            _device(group),
            _partner(group),
            group[0].frame,
            any(m.fed or m.loss for m in group),
            any(m.origin.spot.node in notes.loaded for m in group),
        )


def _first_causes(meetings: list[HostMeeting]) -> list[HostMeeting]:
    """Without those that happen inside a model that was fed the same value: who feeds it has to move it."""
    fed = {meeting.meets.site.spot.node for meeting in meetings if meeting.fed}
    return [m for m in meetings if not any(call.node in fed for call in m.meets.site.calls)]


def _device(meetings: list[HostMeeting]) -> Device | None:
    return next((m.meets.device for m in meetings if m.meets.device is not None), None)


def _partner(meetings: list[HostMeeting]) -> Spot | None:
    return next((m.model for m in meetings if m.model is not None), None)


def _explained(notes: Meetings, meeting: HostMeeting) -> bool:
    """A dropped `.to(device)` of the same value says it already."""
    node = meeting.origin.spot.node
    return (node, meeting.meets.part) in notes.drops.values or (node, "") in notes.drops.values


def _distinct(meets: Iterable[Meets]) -> tuple[Meets, ...]:
    seen: dict[cst.CSTNode, Meets] = {}
    for one in meets:
        seen.setdefault(one.operand, one)
    return tuple(seen.values())


def _models_on_host(run: Interpreter) -> Iterator[ModelOnHost]:
    notes = run.meetings
    by_ref = {ref: fed for ref, feeds in notes.feeds.items() if (fed := [f for f in feeds if f.on_device])}
    by_ref |= {ref: feeds for ref, feeds in notes.fed_to_movers.items() if ref in notes.left_behind}
    for ref in _outermost(run, by_ref):
        yield _model(run, ref, by_ref[ref], by_ref[ref][0])


def _outermost(run: Interpreter, refs: Iterable[int]) -> list[int]:
    """Without those that are part of another of them: what moves a model moves its layers."""
    refs = list(refs)
    parts: set[int] = set()
    waiting = list(refs)
    while waiting:
        ref = waiting.pop()
        inner = {part for part in children(run.objects, run.heap, ref) if part != ref} - parts
        parts |= inner
        waiting += inner
    return [ref for ref in refs if ref not in parts]


def _model(run: Interpreter, ref: int, feeds: list[Feed], first: Feed) -> ModelOnHost:
    info = run.objects[ref]
    handed = _handed_on(run, info, first)
    binding = handed[0] if handed is not None else _binding(info, first)
    one_of_many = binding is not None and _makes_several(binding.node) and info.spot.file is binding.file
    site = Site(
        info.spot if binding is None or one_of_many else binding,
        binding.node if binding is not None else _statement(info),
        handed[1].function if handed is not None else _function_of(info, first, binding),
        info.devices if binding is None or binding.node is info.statement else _devices_at(first, binding),
        False,
        handed[1] if handed is not None else first.frame if binding is not None else info.frame,
        first.operand.site.calls,
    )
    return ModelOnHost(
        info.spot,
        binding,
        first.name,
        _distinct(feed.operand for feed in feeds),
        first.operand.device,
        site,
        tuple(info.alternatives),
        *_role(run, info, feeds),
        first.other is not None,
        tuple(frame.call for frame in info.frame.chain() if frame.call is not None) if info.frame is not None else (),
    )


def _role(run: Interpreter, info: Object, feeds: list[Feed]) -> tuple[ModelRole, Spot | None]:
    """What the module is to the program, and where the other model is moved that it stands beside."""
    notes = run.meetings
    if _is_loss(notes, info) or notes.uses.is_loss_name(feeds[0].name):
        return ModelRole.LOSS, None
    for feed in feeds:
        others = [feed.other] if feed.other is not None else list(notes.runs_on_device.get(feed.frame, ()))
        for other in others:
            if other != info.ref and not _is_loss(notes, run.objects[other]):
                return ModelRole.SECOND, notes.moved_at.get(other) or run.objects[other].spot
    return ModelRole.MODEL, None


def _is_loss(notes: Meetings, info: Object) -> bool:
    made = (info.external or (info.cls.name if info.cls is not None else "")).rpartition(".")[2]
    return made in LOSSES or notes.uses.is_loss_name(made)


def _makes_several(statement: cst.CSTNode) -> bool:
    """`q, target = Net(), Net()`."""
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(small, cst.Assign) and isinstance(small.value, cst.Tuple) for small in statement.body
    )


def _statement(info: Object) -> cst.CSTNode:
    return info.statement if isinstance(info.statement, cst.CSTNode) else info.spot.node


def _function_of(info: Object, feed: Feed, binding: Spot | None) -> FunctionInfo | None:
    if binding is not None and feed.frame.binds_by(binding.node):
        return feed.frame.function
    return info.frame.function if info.frame is not None else None


def _handed_on(run: Interpreter, info: Object, feed: Feed) -> tuple[Spot, Frame] | None:
    """The statement of the checked file that binds a model which another file makes, and a third perhaps feeds."""
    if info.spot.file is run.entry:
        return None
    for frame in feed.frame.chain():
        if frame.file is not run.entry:
            continue
        for name, value in frame.env.items():
            bound = frame.bound.get(name)
            if isinstance(value, Module) and value.ref == info.ref and bound is not None and bound.value is not None:
                return Spot(frame.file, bound.statement), frame
    return None


def _binding(info: Object, feed: Feed) -> Spot | None:
    """The statement that binds the model where it is fed; else the one that makes it."""
    frame: Frame | None = feed.frame
    name = feed.name.partition(".")[0]
    while frame is not None:
        bound = frame.bound.get(name)
        now = frame.env.get(name)
        if isinstance(now, Module) and now.ref != feed.ref and "." not in feed.name:
            break  # the name holds another model by now
        if bound is not None and "." not in feed.name and bound.value is not None:
            return Spot(frame.file, bound.statement)
        frame = frame.outer
    if isinstance(info.statement, cst.CSTNode):
        return Spot(info.spot.file, info.statement)
    return None


def _devices_at(feed: Feed, binding: Spot) -> tuple[str, ...]:
    """Device names that are bound before the statement, in the frame that runs it."""
    frame: Frame | None = feed.frame
    order = {node: index for index, node in enumerate(_statements(binding.file))}
    here = order.get(binding.node, 0)
    names: list[str] = []
    while frame is not None:
        for name in feed.operand.site.devices:
            bound = frame.bound.get(name.partition(".")[0])
            if name.partition(".")[0] in frame.env and (bound is None or order.get(bound.statement, 0) < here):
                names.append(name)
        frame = frame.outer
    return tuple(dict.fromkeys(names))


def _statements(file: ParsedFile) -> list[cst.CSTNode]:
    spans = file.spans
    return sorted(
        (n for n in descendants(file.module) if isinstance(n, cst.BaseStatement)), key=lambda n: spans[n].start
    )


# -- nothing is ever moved ---------------------------------------------------------------------------------------


def _never_moved(run: Interpreter) -> Iterator[ModelOnHost | BatchOnHost | TensorOnHost | TensorAttribute]:
    """A program that does real work and never mentions a device."""
    notes = run.meetings
    if notes.device_used or notes.home or notes.owner_files or run.default_place is not None:
        return
    if is_test_file(run.entry):
        return
    refs = [ref for ref, feeds in notes.feeds.items() if _works(notes, feeds)]
    for ref in _outermost(run, refs):
        if run.place_of(ref).on_host:
            yield _model(run, ref, notes.feeds[ref], notes.feeds[ref][0])
    if refs:
        yield from _grouped(run, notes.idle)


def _works(notes: Meetings, feeds: list[Feed]) -> bool:
    """Training, or inference in a loop over a loader."""
    return notes.work or any(
        feed.looped and feed.origin is not None and feed.origin.source is Source.LOADER for feed in feeds
    )


# -- siblings ----------------------------------------------------------------------------------------------------


def _evidence(notes: Meetings) -> Iterator[BatchOnHost]:
    """One loop moves its batches for a model; another feeds the same model what the loader gave."""
    for evidence in notes.evidence.values():
        by_loop: dict[cst.CSTNode, list[tuple[Origin, Meets, Frame]]] = {}
        for origin, meets, frame in evidence.unmoved:
            by_loop.setdefault(origin.spot.node, []).append((origin, meets, frame))
        for group in by_loop.values():
            origin, _, frame = group[0]
            unused = _unused_device(frame)
            if evidence.moved or unused:
                yield BatchOnHost(
                    origin,
                    _distinct(meets for _, meets, _ in group),
                    None,
                    None,
                    frame,
                    unused,
                    evidence.moved[0].spot if evidence.moved else None,
                )


def _unused_device(frame: Frame) -> str:
    """The device parameter of the running function, if its body never mentions it."""
    if frame.function is None or isinstance(frame.function.node, cst.Lambda):
        return ""
    names = [param.name.value for param in frame.function.parameters if param.name.value == "device"]
    if not names:
        return ""
    used = any(isinstance(node, cst.Name) and node.value == names[0] for node in descendants(frame.function.node.body))
    return "" if used else names[0]
