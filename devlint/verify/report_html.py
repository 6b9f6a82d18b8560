"""The report as one self-contained HTML file: the source with a heat column, the transfers, a timeline."""

from __future__ import annotations

import linecache
from collections import defaultdict
from html import escape
from pathlib import Path

from devlint.verify.device_errors import as_text as error_text
from devlint.verify.report import LineWork, as_data, lines_of, transfers_of
from devlint.verify.runner import Verdict


def as_html(verdict: Verdict) -> str:
    """A page that needs nothing else: no script, no network."""
    body = [_summary(verdict), _timeline(verdict), _transfers(verdict), *_sources(verdict)]
    return _PAGE.format(style=_STYLE, title="devlint verify", body="\n".join(body))


def _summary(verdict: Verdict) -> str:
    data = as_data(verdict)
    good = "good" if verdict.exit_code == 0 else "bad"
    error = "" if verdict.error is None else f"<pre class=error>{escape(error_text(verdict.error))}</pre>"
    rows = [
        ("ran on", verdict.device),
        ("operations", f"{data['ops']['accelerator']:,} on the accelerator, {data['ops']['host']:,} on the host"),
        ("FLOPs", f"{data['flops']['accelerator']:,} on the accelerator, {data['flops']['host']:,} on the host"),
        *((f"peak, {device}", f"{size:,} bytes") for device, size in data["peak_bytes"].items()),
    ]
    idle = [f"{m.name} ({', '.join(m.on_host)})" for m in verdict.ledger.record.modules if m.on_host]
    if idle:
        rows.append(("parameters on the host", ", ".join(idle)))
    table = "".join(f"<tr><th>{escape(name)}<td>{escape(text)}" for name, text in rows)
    wanted = f"wanted: {verdict.min_share:.0%}"
    return f"<p class='share {good}'>{verdict.share:.1%}<small>on the accelerator; {wanted}</small>{error}<table>{table}</table>"


def _timeline(verdict: Verdict) -> str:
    segments = verdict.ledger.record.segments
    total = max((s.end for s in segments), default=0.0)
    if not total:
        return ""
    bars = "".join(
        f"<rect class={'device' if s.on_device else 'host'} x='{s.start / total * 1000:.2f}' "
        f"width='{max((s.end - s.start) / total * 1000, 0.2):.2f}' y=0 height=24 />"
        for s in segments
    )
    return f"<h2>Timeline, {total:.2f} s</h2><svg viewBox='0 0 1000 24' preserveAspectRatio=none>{bars}</svg>"


def _transfers(verdict: Verdict) -> str:
    found = transfers_of(verdict)
    if not found:
        return "<h2>Transfers</h2><p>None."
    rows = "".join(
        f"<tr><td>{escape(Path(t.file).name if t.file else '')}:{t.line}<td>{escape(t.direction)}"
        f"<td class=number>{t.count:,}<td class=number>{t.bytes:,}"
        for t in found
    )
    return f"<h2>Transfers</h2><table><tr><th>line<th>direction<th>times<th>bytes{rows}</table>"


def _sources(verdict: Verdict) -> list[str]:
    by_file: defaultdict[str, dict[int, LineWork]] = defaultdict(dict)
    for work in lines_of(verdict):
        if work.file is not None:
            by_file[work.file][work.line] = work
    return [_source(file, lines) for file, lines in sorted(by_file.items())]


def _source(file: str, lines: dict[int, LineWork]) -> str:
    most = max(w.host_ops + w.device_ops for w in lines.values())
    rows = [_row(number, text, lines.get(number), most) for number, text in enumerate(linecache.getlines(file), 1)]
    return f"<h2>{escape(file)}</h2><table class=source>{''.join(rows)}</table>"


def _row(number: int, text: str, work: LineWork | None, most: int) -> str:
    heat = ""
    if work is not None:
        total = work.host_ops + work.device_ops
        width = 20 + 80 * total / most
        device = width * work.device_ops / total
        title = f"{work.device_ops} ops on the accelerator, {work.host_ops} on the host"
        heat = (
            f"<span title='{title}'><i class=device style='width:{device:.1f}%'></i>"
            f"<i class=host style='width:{width - device:.1f}%'></i></span>"
        )
    return f"<tr id=L{number}><td class=heat>{heat}<td class=number>{number}<td><code>{escape(text.rstrip())}</code>"


_PAGE = """<!doctype html>
<html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>
<title>{title}</title><style>{style}</style>
<h1>{title}</h1>
<p><i class='key device'></i> accelerator <i class='key host'></i> host
{body}
</html>
"""

_STYLE = """
:root { color-scheme: light dark; --device: #2a9d6f; --host: #e07a3f; --line: #8884; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
h2 { font-size: 1.1rem; margin-top: 2rem; overflow-wrap: anywhere }
.share { font-size: 3rem; font-weight: 600; margin: 0 }
.share small { font-size: 1rem; font-weight: 400; margin-left: 1rem }
.good { color: var(--device) } .bad { color: var(--host) }
table { border-collapse: collapse; font-size: 14px; color: CanvasText; font-weight: 400 }
th, td { text-align: left; padding: .15rem .8rem .15rem 0; vertical-align: top }
td.number { text-align: right; color: GrayText; font-variant-numeric: tabular-nums }
pre.error { font-size: 13px; color: CanvasText; border-left: 4px solid var(--host); padding-left: 1rem; white-space: pre-wrap }
svg { width: 100%; height: 24px; background: var(--line) }
rect.device { fill: var(--device) } rect.host { fill: var(--host) }
i.key { display: inline-block; width: .8rem; height: .8rem; margin-left: 1rem }
i.device { background: var(--device) } i.host { background: var(--host) }
table.source { width: 100% } table.source td { padding-top: 0; padding-bottom: 0 }
td.heat { width: 9rem } td.heat span { display: flex; height: 1.2em } td.heat i { display: block; height: 100% }
code { font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap }
"""
