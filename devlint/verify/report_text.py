"""The report for a terminal."""

from __future__ import annotations

import linecache
import os

from devlint.verify.messages import size
from devlint.verify.places import Place
from devlint.verify.report import Report

LINES = 5
"""How many lines of each list are shown; `--report json` has them all."""


def as_text(report: Report, min_share: float) -> str:
    """One screen: what failed, the share, then what stayed on the host and what was moved."""
    parts = []
    if report.failure is not None:
        failure = report.failure
        parts.append(str(failure) if failure.device_error else failure.trace.rstrip() or str(failure))
    parts.append(_summary(report, min_share))
    parts.extend(_host_lines(report))
    parts.extend(_transfers(report))
    parts.extend(_models(report))
    if report.peaks:
        parts.append("peak memory: " + ", ".join(f"{name} {size(peak)}" for name, peak in sorted(report.peaks.items())))
    return "\n".join(parts)


def _summary(report: Report, min_share: float) -> str:
    work = report.work
    where = "the simulated accelerator" if report.device == "sim" else report.device
    unit = "floating-point operations" if work.flops else "operations"
    verdict = {0: "ok", 1: "device error", 2: "failed"}[report.exit_code(min_share)]
    if report.failure is None and report.share < min_share:
        verdict = f"below the required {min_share:.0%}"
    counts = f"{work.device_ops:,} operations there, {work.host_ops:,} on the host"
    return f"devlint verify: {report.share:.1%} of {unit} on {where} ({counts}, {report.seconds:.1f} s): {verdict}"


def _host_lines(report: Report) -> list[str]:
    found = report.hot_host_lines
    if not found or report.share >= 1:
        return []
    lines = ["computed on the host:"]
    for place, work in found[:LINES]:
        flops = f", {work.host_flops:,} FLOPs" if work.host_flops else ""
        lines.append(f"  {shown(place)}: {work.host_ops:,} operations{flops}{_source(place)}")
    return [*lines, *_rest(len(found))]


def _transfers(report: Report) -> list[str]:
    if not report.transfers:
        return []
    lines = ["transfers:"]
    for entry in report.transfers[:LINES]:
        way = f"{entry.source} to {entry.target}"
        lines.append(
            f"  {shown(entry.place)}: {entry.count:,} x {way}, {size(entry.nbytes)} "
            f"({entry.what}){_source(entry.place)}"
        )
    return [*lines, *_rest(len(report.transfers))]


def _models(report: Report) -> list[str]:
    if not report.host_models:
        return []
    lines = ["models with parameters that were only called on the host:"]
    for entry in report.host_models[:LINES]:
        lines.append(
            f"  {entry.name} ({entry.parameters:,} parameters), first called at "
            f"{shown(entry.place)}, {entry.calls:,} calls"
        )
    return [*lines, *_rest(len(report.host_models))]


def _rest(count: int) -> list[str]:
    return [f"  and {count - LINES:,} more"] if count > LINES else []


def shown(place: Place) -> str:
    """A place, relative to the working folder where it is below it."""
    if not place.file:
        return "(inside a library)"
    relative = os.path.relpath(place.file)
    return f"{place.file if relative.startswith('..') else relative}:{place.line}"


def _source(place: Place) -> str:
    text = linecache.getline(place.file, place.line).strip()
    return f"  | {text[:80]}" if text else ""
