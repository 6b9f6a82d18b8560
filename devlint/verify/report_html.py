"""The report as one self-contained page: source with heat, transfers, a timeline. No script, nothing
fetched.
"""

from __future__ import annotations

import linecache
from html import escape

from devlint.verify.messages import size
from devlint.verify.places import Place
from devlint.verify.report import Report
from devlint.verify.report_text import shown
from devlint.verify.tally import Work

STYLE = """
:root { color-scheme: light dark; --host: #c2410c; --device: #0f766e; --line: #8884; --dim: #777; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; padding: .15rem .6rem; border-bottom: 1px solid var(--line); }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.n { color: var(--dim); }
code, pre { font: 13px/1.45 ui-monospace, monospace; }
pre.error { border-left: 4px solid var(--host); padding: .6rem 1rem; overflow-x: auto; }
table.source td, table.source th { border: 0; padding: 0 .6rem; white-space: pre; }
table.source td:last-child, table.source th:last-child { width: 100%; }
.source { font: 13px/1.45 ui-monospace, monospace; }
.bar { display: inline-block; width: 90px; height: 10px; vertical-align: middle; background: var(--line); }
.bar i { display: block; height: 100%; float: left; }
.host { background: var(--host); } .device { background: var(--device); }
.wide { overflow-x: auto; }
.timeline { display: flex; height: 26px; width: 100%; border: 1px solid var(--line); }
.timeline i { height: 100%; min-width: 1px; }
.key i { display: inline-block; width: 12px; height: 12px; margin: 0 .3rem 0 1rem; }
"""
STRETCHES = 600
"""Stretches of the timeline that are drawn; a longer one is thinned out."""


def as_html(report: Report, min_share: float) -> str:
    """The whole page."""
    body = [
        f"<h1>devlint verify: {escape(report.program)}</h1>",
        _summary(report, min_share),
        _failure(report),
        _timeline(report),
        _transfers(report),
        _models(report),
        *(_source(report, file) for file in sorted({place.file for place in report.lines if place.file})),
    ]
    title = f"devlint verify: {escape(report.program)}"
    head = (
        '<meta charset="utf-8"><meta name="viewport" '
        f'content="width=device-width"><title>{title}</title><style>{STYLE}</style>'
    )
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n'
        + "\n".join(filter(None, body))
        + "\n</body></html>"
    )


def _summary(report: Report, min_share: float) -> str:
    work = report.work
    unit = "floating-point operations" if work.flops else "operations"
    verdict = "ok" if report.exit_code(min_share) == 0 else "not ok"
    peaks = ", ".join(f"{escape(name)} {size(peak)}" for name, peak in sorted(report.peaks.items()))
    device = "the simulated accelerator" if report.device == "sim" else report.device
    return (
        f"<p><b>{report.share:.1%}</b> of {unit} on {escape(device)} (required "
        f"{min_share:.0%}: {verdict}); "
        f"{work.device_ops:,} operations there, {work.host_ops:,} on the host; "
        f"{report.seconds:.1f} s; peak memory {peaks}</p>"
        '<p class="key"><i class="device"></i>accelerator<i class="host"></i>host</p>'
    )


def _failure(report: Report) -> str:
    return f'<pre class="error">{escape(str(report.failure))}</pre>' if report.failure else ""


def _timeline(report: Report) -> str:
    if not report.timeline:
        return ""
    step = -(-len(report.timeline) // STRETCHES)
    ends = [since for since, _, _ in report.timeline[1:]] + [report.seconds]
    pieces = [
        f'<i class="{"host" if side == "cpu" else "device"}" '
        f'style="flex:{max(end - since, 1e-6):.6f}" title="{ops:,} operations"></i>'
        for (since, side, ops), end in list(zip(report.timeline, ends, strict=True))[::step]
    ]
    return f'<h2>Timeline</h2><div class="timeline">{"".join(pieces)}</div>'


def _transfers(report: Report) -> str:
    if not report.transfers:
        return ""
    rows = "".join(
        f"<tr><td><code>{escape(shown(entry.place))}</code></td><td>{escape(entry.source)} to "
        f"{escape(entry.target)}</td>"
        f'<td>{escape(entry.what)}</td><td class="n">{entry.count:,}</td><td '
        f'class="n">{size(entry.nbytes)}</td></tr>'
        for entry in report.transfers
    )
    heads = "<th>line</th><th>way</th><th>by</th>" + '<th class="n">count</th><th class="n">bytes</th>'
    return f'<h2>Transfers</h2><table class="transfers"><tr>{heads}</tr>{rows}</table>'


def _models(report: Report) -> str:
    if not report.host_models:
        return ""
    items = "".join(
        f"<li><code>{escape(entry.name)}</code>, first called at <code>{escape(shown(entry.place))}</code></li>"
        for entry in report.host_models
    )
    return f"<h2>Models that were only called on the host</h2><ul>{items}</ul>"


def _source(report: Report, file: str) -> str:
    lines = [line.rstrip("\r\n") for line in linecache.getlines(file)]  # the text that ran, fixed or not
    if not lines:
        return ""
    most = max((_weight(work) for place, work in report.lines.items() if place.file == file), default=1) or 1
    rows = []
    for number, text in enumerate(lines, start=1):
        work = report.lines.get(Place(file, number))
        heat = _heat(work, most) if work else ""
        rows.append(f'<tr><td class="n">{number}</td><td class="heat">{heat}</td><td>{escape(text)}</td></tr>')
    heads = '<tr><th class="n">line</th><th>work</th><th>source</th></tr>'
    name = escape(shown(Place(file, 1)).rpartition(":")[0])
    return f'<h2>{name}</h2><div class="wide"><table class="source">{heads}{"".join(rows)}</table></div>'


def _weight(work: Work) -> int:
    return work.flops + work.host_ops + work.device_ops


def _heat(work: Work, most: int) -> str:
    length = max(4.0, 100 * _weight(work) / most)
    device = length * work.share
    title = f"{work.device_ops:,} operations on the accelerator, {work.host_ops:,} on the host, {work.flops:,} FLOPs"
    return (
        f'<span class="bar" title="{title}"><i class="device" style="width:{device:.1f}%"></i>'
        f'<i class="host" style="width:{length - device:.1f}%"></i></span>'
    )
