"""Rewrites of code that names one kind of machine in other ways than by a move or a literal."""

from __future__ import annotations

import libcst as cst

from devlint.analysis.cuda_api_table import CUDA_APIS
from devlint.analysis.facts import (
    AvailabilityNotCalled,
    AvailabilityUse,
    CudaApiCall,
    CudaCall,
    CudaLiteral,
    CudaTensorType,
    DeviceCheck,
    DeviceComparedToString,
    FixedAmpDevice,
    FixedIndex,
    IndexUse,
    LoadUse,
    Receiver,
    TypeUse,
    UnmappedLoad,
    WatchedName,
)
from devlint.analysis.syntax import dotted, literal
from devlint.analysis.values import Array, Const, Scalar, Tensor
from devlint.finding import Edit, Fix
from devlint.fixes.anchors import indent_of
from devlint.fixes.device_choice import module_names
from devlint.fixes.moves import Moves, fix_of
from devlint.replacement import Replacement

_DTYPES = {
    "FloatTensor": "float32",
    "DoubleTensor": "float64",
    "HalfTensor": "float16",
    "BFloat16Tensor": "bfloat16",
    "LongTensor": "int64",
    "IntTensor": "int32",
    "ShortTensor": "int16",
    "CharTensor": "int8",
    "ByteTensor": "uint8",
    "BoolTensor": "bool",
    "Tensor": "float32",
}


class PortableRewrites(Moves):
    """Mixed into the device plan."""

    def project_twin(self, fact: WatchedName, row: Replacement) -> Fix | None:
        """The project's own twin in the place of a library's name, and the import that it needs."""
        twin = row.twin_of(fact.name)
        if not twin or not isinstance(fact.site.spot.node, cst.Name | cst.Attribute):
            return None
        root = twin.partition(".")[0].partition("(")[0]
        known = row.imports.strip() and row.imports.strip() in self.file.source.text
        if not row.imports and not any(root == name for name in module_names(self.file.module.body)):
            return None
        imports = [self._after_imports([row.imports.strip()], blank=False)] if row.imports and not known else []
        span = self.file.span(fact.site.spot.node)
        return fix_of(f"use `{twin}`", [*imports, Edit(span.start, span.end, twin)], True)

    def call_it(self, fact: AvailabilityNotCalled) -> Fix | None:
        """`torch.cuda.is_available` becomes `torch.cuda.is_available()`."""
        if fact.called_too:
            return None
        end = self.file.span(fact.site.spot.node).end
        unsafe = fact.use in (AvailabilityUse.COMPARISON, AvailabilityUse.TEXT)
        return fix_of("call it", [Edit(end, end, "()")], unsafe)

    def compare_type(self, fact: DeviceComparedToString) -> Fix | None:
        """`x.device == "cuda"` becomes `x.device.type == "cuda"`; with an index `str(x.device) == "cuda:0"`."""
        span = self.file.span(fact.device)
        indexed = any(":" in text for text in fact.texts)
        if fact.check is DeviceCheck.TYPE_WITH_INDEX:
            text = self.file.code(fact.device).removesuffix(".type")
            return fix_of("compare the whole device", [Edit(span.start, span.end, f"str({text})")], True)
        if indexed:
            edits = [Edit(span.start, span.start, "str("), Edit(span.end, span.end, ")")]
            return fix_of("compare as text", edits, True)
        return fix_of("compare the type", [Edit(span.end, span.end, ".type")], True)

    def portable_type(self, fact: CudaTensorType) -> Fix | None:
        """A dtype and a device in the place of a type that holds both."""
        torch, imports = self._torch
        if fact.use is TypeUse.NAMED:
            return self._guarded_type(fact, torch)
        call = fact.call
        if call is None or fact.site.guarded:
            return None
        chosen = self.choose(fact.site, None)
        dtype = f"{torch}.{_DTYPES[fact.name]}"
        span = self.file.span(call)
        match fact.use:
            case TypeUse.CAST:
                assert isinstance(call.func, cst.Attribute)
                start = self.file.span(call.func.attr).start
                edits = [*chosen.edits, *imports, Edit(start, span.end, f"to({chosen.text}, {dtype})")]
                return fix_of(f"use `.to({chosen.text}, ...)`", edits, fact.receiver is not Receiver.TENSOR)
            case TypeUse.DEFAULT:
                lines = [] if fact.name == "FloatTensor" else [f"{torch}.set_default_dtype({dtype})"]
                lines.append(f"{torch}.set_default_device({chosen.text})")
                indent = indent_of(self.file, fact.site.statement)
                if len(lines) > 1 and (indent is None or self.file.span(fact.site.statement) != span):
                    return None
                text = f"\n{indent}".join(lines)
                return fix_of("set a default device", [*chosen.edits, *imports, Edit(span.start, span.end, text)], True)
            case _:
                text, unsafe = self._constructed(fact, call, torch, chosen.text, dtype)
                edits = [*chosen.edits, *imports, Edit(span.start, span.end, text)]
                return fix_of("say dtype and device", edits, unsafe or chosen.unsafe)

    def _guarded_type(self, fact: CudaTensorType, torch: str) -> Fix | None:
        span = self.file.span(fact.site.spot.node)
        text = f"{self.file.code(fact.site.spot.node)} if {torch}.cuda.is_available() else {torch}.{fact.name}"
        statement = fact.site.statement
        whole = isinstance(statement, cst.SimpleStatementLine) and any(
            isinstance(small, cst.Assign) and small.value is fact.site.spot.node for small in statement.body
        )
        text = text if whole else f"({text})"
        return fix_of("fall back to the host's type", [Edit(span.start, span.end, text)], False)

    def _constructed(
        self, fact: CudaTensorType, call: cst.Call, torch: str, device: str, dtype: str
    ) -> tuple[str, bool]:
        """`torch.cuda.FloatTensor(...)` in today's words, and whether that may mean something else."""
        arguments = ", ".join(self.file.code(arg) for arg in call.args).rstrip(", ")
        match call.args:
            case [cst.Arg(value=cst.List() | cst.ListComp(), keyword=None, star="")]:
                return f"{torch}.tensor({arguments}, dtype={dtype}, device={device})", False
            case []:
                return f"{torch}.empty(0, dtype={dtype}, device={device})", False
        if all(isinstance(arg.value, cst.Integer) for arg in call.args):
            return f"{torch}.empty({arguments}, dtype={dtype}, device={device})", False
        if len(call.args) == 1 and isinstance(fact.arguments[0], Tensor) and dotted(call.args[0].value):
            return f"{arguments}.to({device}, {dtype})", True
        unsafe = not all(isinstance(value, Array | Scalar | Const) for value in fact.arguments)
        return f"{torch}.{fact.name}({arguments}).to({device})", unsafe

    def portable_amp(self, fact: FixedAmpDevice) -> Fix | None:
        """`torch.autocast("cuda")` becomes `torch.autocast(device.type)`."""
        torch, imports = self._torch
        if fact.site.guarded:
            return None
        chosen = self.choose(fact.site, None)
        if chosen.text not in fact.site.devices or fact.device_is_object:
            text = f"{chosen.text}.type"
        elif fact.device_is_object is None:
            text = f"{torch}.device({chosen.text}).type"
        else:
            text = chosen.text
        if fact.literal is not None:
            span = self.file.span(fact.literal)
            return fix_of(f"use `{text}`", [*chosen.edits, Edit(span.start, span.end, text)], True)
        span = self.file.span(fact.call)
        kept: list[str] = []
        for index, arg in enumerate(fact.call.args):
            given = self.file.code(arg.value)
            if arg.keyword is not None:
                given = f"{arg.keyword.value}={given}"
            elif not fact.scaler:
                given = f"{('enabled', 'dtype', 'cache_enabled')[index]}={given}"
            kept.append(given)
        name = f"{torch}.amp.GradScaler" if fact.scaler else f"{torch}.autocast"
        whole = f"{name}({', '.join([text, *kept])})"
        return fix_of(f"use `{text}`", [*chosen.edits, *imports, Edit(span.start, span.end, whole)], True)

    def guard_api(self, fact: CudaApiCall) -> Fix | None:
        """A statement `torch.cuda.synchronize()` gets a condition, and its portable twin where that is asked for."""
        statement, call = fact.site.statement, fact.call
        match statement:
            case cst.SimpleStatementLine(body=[cst.Expr(value=value)]) if value is call:
                pass
            case _:
                return None
        indent = indent_of(self.file, statement)
        if indent is None or "\n" in self.file.code(call):
            return None
        torch, imports = self._torch
        span = self.file.span(call)
        twin = self.twin(fact.name)
        unsafe = bool(call.args) and not fact.name.startswith("nvtx.")
        family, text = "cuda", self.file.code(call)
        if twin and self.style.device_style == "accelerator":
            arguments = self.file.source.text[self.file.span(call.func).end : span.end]
            family, text = "accelerator", f"{torch}{twin.removeprefix('torch')}{arguments}"
        guarded = f"if {torch}.{family}.is_available():\n{indent}{self.file.module.default_indent}{text}"
        return fix_of("only where there is one", [*imports, Edit(span.start, span.end, guarded)], unsafe)

    def twin(self, name: str) -> str:
        """The portable twin of `torch.cuda.<name>` that the oldest torch to support has, if any."""
        api = CUDA_APIS[name]
        return api.twin if api.twin and self.style.target_torch >= api.since else ""

    def first_card(self, fact: CudaCall | CudaLiteral) -> Fix | None:
        """Behind a check for CUDA `"cuda:1"` becomes `"cuda"`, and `.cuda(1)` becomes `.cuda()`."""
        if isinstance(fact, CudaCall):
            span = self.file.span(fact.call.args[0])
            if len(fact.call.args) > 1:
                return None
            return fix_of("use the current card", [Edit(span.start, span.end, "")], True)
        span = self.file.span(fact.literal)
        text = literal(fact.literal)
        if not isinstance(text, str) or ":" not in text:
            return None
        written = self.file.code(fact.literal).replace(text, text.partition(":")[0])
        return fix_of("use the current card", [Edit(span.start, span.end, written)], True)

    def any_card(self, fact: FixedIndex) -> Fix | None:
        """`device_ids=[0, 1]` goes, so that every card is used; `.to(1)` becomes `.to(device)`."""
        if fact.call is None or fact.argument is None:
            node = fact.site.spot.node
            place, written = self.file.span(node), self.file.code(node)
            text = written.replace(f":{fact.index}", "")
            return fix_of("use the current card", [Edit(place.start, place.end, text)], True)
        span = self.file.span(fact.argument)
        match fact.use:
            case IndexUse.PARALLEL:
                at = fact.call.args.index(fact.argument)
                if at == 0 or at != len(fact.call.args) - 1:
                    return None
                start = self.file.outer(fact.call.args[at - 1].value).end
                return fix_of("use every card", [Edit(start, span.end, "")], True)
            case IndexUse.PLACE if not fact.site.guarded:
                chosen = self.choose(fact.site, None)
                value = self.file.span(fact.argument.value)
                return fix_of(f"use `{chosen.text}`", [*chosen.edits, Edit(value.start, value.end, chosen.text)], True)
            case _:
                return None

    def map_load(self, fact: UnmappedLoad) -> Fix | None:
        """`torch.load(path)` becomes `torch.load(path, map_location=device)`; with no device in sight, `"cpu"`."""
        devices = [] if fact.random_state else [text for text in fact.site.devices if "(" not in text]
        target = devices[0] if devices else '"cpu"'
        end = self.file.outer(fact.call.args[-1].value).end
        safe = fact.use is LoadUse.STATE
        return fix_of(f"load to `{target}`", [Edit(end, end, f", map_location={target}")], not safe)
