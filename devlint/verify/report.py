"""The report of a run as plain data, and as text and JSON."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

from devlint.verify.device_errors import as_text as error_text
from devlint.verify.places import Place
from devlint.verify.record import Work
from devlint.verify.runner import Verdict

_LINES_SHOWN = 10


@dataclass(frozen=True)
class LineWork:
    """The work of one line of the program; `file` is None for torch's own threads."""

    file: str | None
    line: int
    host_ops: int
    device_ops: int
    host_flops: int
    device_flops: int
    ops: tuple[str, ...]


@dataclass(frozen=True)
class LineTransfer:
    file: str | None
    line: int
    direction: str
    count: int
    bytes: int


def as_data(verdict: Verdict) -> dict[str, Any]:
    """The report as JSON data; times in seconds, memory in bytes, shares as parts of 1."""
    record = verdict.ledger.record
    host_ops, device_ops = record.ops
    host_flops, device_flops = record.flops
    return {
        "device": verdict.device,
        "exit_code": verdict.exit_code,
        "share": round(verdict.share, 4),
        "min_share": verdict.min_share,
        "ops": {"host": host_ops, "accelerator": device_ops},
        "flops": {"host": host_flops, "accelerator": device_flops},
        "error": None if verdict.error is None else asdict(verdict.error),
        "lines": [asdict(line) for line in lines_of(verdict)],
        "transfers": [asdict(t) for t in transfers_of(verdict)],
        "modules": [
            {
                "name": m.name,
                "file": m.place.file if m.place else None,
                "line": m.place.line if m.place else 0,
                "parameters": m.parameters,
                "on_host": list(m.on_host),
            }
            for m in record.modules
        ],
        "peak_bytes": {str(device): size for device, size in verdict.ledger.peak.items() if device.type != "lazy"},
        "timeline": [[round(s.start, 6), round(s.end, 6), s.on_device] for s in record.segments],
    }


def as_json(verdict: Verdict) -> str:
    return json.dumps(as_data(verdict), indent=2)


def lines_of(verdict: Verdict) -> list[LineWork]:
    """Work by line, the busiest host lines first."""
    merged: defaultdict[tuple[str | None, int], Work] = defaultdict(Work)
    for place, work in verdict.ledger.record.work.items():
        into = merged[_line(place)]
        into.host_ops += work.host_ops
        into.device_ops += work.device_ops
        into.host_flops += work.host_flops
        into.device_flops += work.device_flops
        into.host_names += work.host_names
    found = [
        LineWork(*place, w.host_ops, w.device_ops, w.host_flops, w.device_flops, tuple(dict(w.host_names.most_common(4))))
        for place, w in merged.items()
    ]
    return sorted(found, key=lambda w: (-w.host_flops, -w.host_ops, w.file or "", w.line))


def transfers_of(verdict: Verdict) -> list[LineTransfer]:
    """Transfers by line and direction, the most frequent first."""
    merged: defaultdict[tuple[str | None, int, str], list[int]] = defaultdict(lambda: [0, 0])
    for transfer in verdict.ledger.record.transfers.values():
        total = merged[*_line(transfer.place), transfer.direction]
        total[0] += transfer.count
        total[1] += transfer.bytes
    found = [LineTransfer(*place, count, size) for place, (count, size) in merged.items()]
    return sorted(found, key=lambda t: (-t.count, -t.bytes))


def as_text(verdict: Verdict) -> str:
    """One screen: the share, the host lines that cost most, the transfers, what never reached the device."""
    data = as_data(verdict)
    parts = [] if verdict.error is None else [error_text(verdict.error), ""]
    kind = "FLOPs" if any(data["flops"].values()) else "ops"
    where = "the simulated accelerator" if verdict.device == "sim" else f"the accelerator ({verdict.device})"
    parts.append(f"devlint verify: {verdict.share:.1%} of {kind} ran on {where} (wanted: {verdict.min_share:.0%})")
    parts.append(f"  ops: {data['ops']['accelerator']} on the accelerator, {data['ops']['host']} on the host")
    host_lines = [line for line in lines_of(verdict) if line.host_ops]
    parts += _section("work on the host, by line", [_host_line(line) for line in host_lines])
    parts += _section("transfers, by line", [_transfer_line(t) for t in transfers_of(verdict)])
    idle = [m for m in verdict.ledger.record.modules if m.on_host]
    parts += _section(
        "parameters that were on the host at the first call",
        [f"{m.place or '?'}  {m.name}: {', '.join(m.on_host)} ({m.parameters} parameters in all)" for m in idle],
    )
    peaks = [f"{device}: {size:,} bytes" for device, size in data["peak_bytes"].items()]
    return "\n".join(parts + _section("peak memory", peaks))


def _section(title: str, lines: list[str]) -> list[str]:
    if not lines:
        return []
    more = [f"    ... and {len(lines) - _LINES_SHOWN} more"] if len(lines) > _LINES_SHOWN else []
    return [f"  {title}:", *(f"    {line}" for line in lines[:_LINES_SHOWN]), *more]


def _host_line(work: LineWork) -> str:
    return f"{_at(work.file, work.line)}  {work.host_ops} ops, {work.host_flops:,} FLOPs ({', '.join(work.ops)})"


def _transfer_line(transfer: LineTransfer) -> str:
    return f"{_at(transfer.file, transfer.line)}  {transfer.direction}: {transfer.count} times, {transfer.bytes:,} bytes"


def _line(place: Place | None) -> tuple[str | None, int]:
    return (place.file, place.line) if place else (None, 0)


def _at(file: str | None, line: int) -> str:
    return f"{file}:{line}" if file else "(outside the program)"
