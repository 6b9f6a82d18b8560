"""The device plan of a file: all its fixes draw on one plan, so that they agree on the device."""

from __future__ import annotations

import re

import libcst as cst

from devlint.analysis.facts import CudaCall, CudaLiteral, DiscardedMove, HostReadsDevice, LiteralUse, Receiver
from devlint.analysis.syntax import dotted
from devlint.finding import Edit, Fix
from devlint.fixes.anchors import call_on
from devlint.fixes.device_choice import Style
from devlint.fixes.module_repairs import ModuleRepairs
from devlint.fixes.moves import fix_of
from devlint.fixes.portable import PortableRewrites
from devlint.fixes.transfers import TransferRepairs


class DevicePlan(PortableRewrites, ModuleRepairs, TransferRepairs):
    """Moves of values, and rewrites of code that names one device."""

    def portable_call(self, fact: CudaCall) -> Fix | None:
        """`x.cuda(non_blocking=True)` becomes `x.to(device, non_blocking=True)`."""
        assert isinstance(fact.call.func, cst.Attribute)
        if fact.site.guarded or fact.chosen:
            return None
        chosen = self.choose(fact.site, None)
        kept = [
            self._argument_text(arg)
            for arg in fact.call.args
            if arg.keyword is not None and arg.keyword.value in {"non_blocking", "async_", "memory_format"}
        ]
        arguments = ", ".join([chosen.text, *(text.replace("async_=", "non_blocking=") for text in kept)])
        start = self.file.span(fact.call.func.attr).start
        edits = [*chosen.edits, Edit(start, self.file.span(fact.call).end, f"to({arguments})")]
        unsafe = fact.fixed_index or fact.chosen or fact.receiver is Receiver.UNKNOWN
        return fix_of(f"use `.to({chosen.text})`", edits, unsafe or chosen.unsafe)

    def _argument_text(self, arg: cst.Arg) -> str:
        assert arg.keyword is not None
        return f"{arg.keyword.value}={self.file.code(arg.value)}"

    def portable_literal(self, fact: CudaLiteral) -> Fix | None:
        """`"cuda"` becomes a device that falls back to the CPU."""
        span = self.file.span(fact.literal)
        unsafe = ":" in fact.text
        match fact.use:
            case LiteralUse.DEFAULT:
                return None
            case LiteralUse.VARIABLE:
                return self.fall_back(fact)
            case LiteralUse.DEVICE:
                if fact.call is not None and len(fact.call.args) > 1:
                    call = self.file.span(fact.call)
                    return fix_of("fall back to the CPU", [Edit(call.start, call.end, self.fallback)], True)
                return self.fall_back(fact)
            case _:
                chosen = self.choose(fact.site, None)
                return fix_of(
                    f"use `{chosen.text}`",
                    [*chosen.edits, Edit(span.start, span.end, chosen.text)],
                    unsafe or chosen.unsafe,
                )

    def fall_back(self, fact: CudaLiteral) -> Fix | None:
        """`"cuda"` becomes `"cuda" if torch.cuda.is_available() else "cpu"`."""
        torch, imports = self._torch
        span, written = self.file.span(fact.literal), self.file.code(fact.literal)
        text = f"{written} if {torch}.cuda.is_available() else {written[0]}cpu{written[-1]}"
        return fix_of("fall back to the CPU", [*imports, Edit(span.start, span.end, text)], ":" in fact.text)

    def keep_result(self, fact: DiscardedMove) -> Fix | None:
        """`x.to(device)` becomes `x = x.to(device)`."""
        text = dotted(fact.moved)
        if fact.loop_variable_of:
            return self._move_display(fact)
        if fact.kept_as is not None:
            target, before = fact.kept_as
            start = self.file.span(before).start
            return fix_of("keep the result", [Edit(start, start, f"{target} = ")], isinstance(before, cst.ListComp))
        if fact.loop is not None:
            return self._rebuild(fact, fact.loop)
        if not text and isinstance(fact.moved, cst.Subscript):
            text = self.file.code(fact.moved)
        if not text:
            return None
        start = self.file.span(fact.call).start
        return fix_of("keep the result", [Edit(start, start, f"{text} = ")], fact.receiver is not Receiver.TENSOR)

    def _rebuild(self, fact: DiscardedMove, loop: cst.For) -> Fix | None:
        """`for t in batch: t.to(device)` becomes `batch = [t.to(device) for t in batch]`; of a dict, a dict."""
        if len(loop.body.body) != 1 or loop.orelse is not None:
            return None
        target, call = self.file.code(loop.target), self.file.code(fact.call)
        iterated = self.file.code(loop.iter)
        match loop.iter:
            case cst.Name(value=name):
                text = f"{name} = [{call} for {target} in {name}]"
            case cst.Call(func=cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="items")), args=[]) if (
                isinstance(loop.target, cst.Tuple) and len(loop.target.elements) == 2
            ):
                key = self.file.code(loop.target.elements[0].value)
                text = f"{name} = {{{key}: {call} for {target} in {iterated}}}"
            case _:
                return None
        return self._instead_of(loop, text, unsafe=True)

    def _move_display(self, fact: DiscardedMove) -> Fix | None:
        """A loop over `(left, right)` that drops each move becomes the moves themselves."""
        names = [dotted(element) for element in fact.loop_variable_of]
        loop = next((node for node in reversed(fact.site.loops) if isinstance(node, cst.For)), None)
        if loop is None or not all(names) or len(loop.body.body) != 1 or loop.orelse is not None:
            return None
        variable = dotted(fact.moved)
        call = self.file.code(fact.call)
        moved = [re.sub(rf"^{re.escape(variable)}\b", name, call) for name in names]
        return self._instead_of(loop, f"{', '.join(names)} = {', '.join(moved)}", unsafe=False)

    def _instead_of(self, loop: cst.For, text: str, *, unsafe: bool) -> Fix | None:
        """One line in the place of a loop, whose span may hold its last line end."""
        span = self.file.span(loop)
        newline = "\n" if self.file.source.text[span.end - 1 : span.end] == "\n" else ""
        return fix_of("keep the results", [Edit(span.start, span.end, text + newline)], unsafe)

    def bring_home(self, fact: HostReadsDevice) -> Fix | None:
        """`x.numpy()` becomes `x.cpu().numpy()`, with a `.detach()` where a gradient may hang on it."""
        way = "detach().cpu()" if fact.grad else "cpu()"
        if fact.parts:
            if not dotted(fact.tensor):
                return None
            span, name = self.file.span(fact.tensor), self.file.code(fact.tensor)
            return fix_of(
                "bring its tensors home first",
                [Edit(span.start, span.end, f"[part.{way} for part in {name}]")],
                fact.mixed,
            )
        return fix_of(
            "bring it home first",
            list(call_on(self.file, fact.tensor, way)),
            fact.mixed,
        )


__all__ = ["DevicePlan", "Style"]
