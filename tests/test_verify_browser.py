"""The HTML report, rendered by a real browser; skipped where no Chromium is found."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium found")

PROGRAM = """\
import torch

model = torch.nn.Linear(64, 64)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.ones(24, 64).cumsum(0)
loader = [(inputs[i : i + 8], torch.randn(8, 64)) for i in range(0, 24, 8)]
for inputs, targets in loader:
    optimizer.zero_grad()
    loss = criterion(model(inputs), targets)
    loss.backward()
    optimizer.step()
    print(loss.item() >= 0)
"""


def browser(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    assert BROWSER is not None
    profile = f"--user-data-dir={folder / 'profile'}"
    quiet = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
    return subprocess.run([BROWSER, *quiet, profile, *arguments], capture_output=True, text=True, timeout=90)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the program as devlint fixes it."""
    folder = tmp_path_factory.mktemp("report")
    (folder / "program.py").write_text(PROGRAM)
    command = ["verify", "--fixed", "--device", "sim", "--report", "html", "-o", "report.html", "program.py"]
    done = subprocess.run([sys.executable, "-m", "devlint", *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "report.html"


def test_the_rendered_page_holds_the_heat_the_transfers_and_the_timeline(report: Path) -> None:
    page = browser(report.parent, "--dump-dom", report.as_uri()).stdout
    source = page.partition('<table class="source">')[2]
    rows = re.findall(r'<tr><td class="n">(\d+)</td><td class="heat">(.*?)</td><td>(.*?)</td></tr>', source)
    heat = {text.strip(): 'class="host" style="width:0.0%"' in bar for _, bar, text in rows if bar}
    assert heat["loss.backward()"] and not heat["inputs = torch.ones(24, 64).cumsum(0)"], "heat beside another line"
    transfers = page.partition('<table class="transfers">')[2].partition("</table>")[0]
    assert "program.py:" in transfers and "cpu to cuda:0" in transfers
    timeline = page.partition('<div class="timeline">')[2].partition("</div>")[0]
    assert timeline.count("<i ") > 1 and 'class="device"' in timeline and 'class="host"' in timeline


def test_the_page_is_drawn(report: Path) -> None:
    picture = report.parent / "report.png"
    browser(report.parent, f"--screenshot={picture}", "--window-size=900,700", report.as_uri())
    size, colours = drawn(picture.read_bytes())
    assert size == (900, 700)
    assert (15, 118, 110) in colours and (194, 65, 12) in colours, "the colours of accelerator and host"
    assert len(colours) > 20, "text is drawn with many shades"


def drawn(png: bytes) -> tuple[tuple[int, int], set[tuple[int, ...]]]:
    """Size and colours of a picture with 8 bits a channel, as Chromium writes it."""
    assert png.startswith(b"\x89PNG")
    width, height, depth, kind = struct.unpack(">IIBB", png[16:26])
    assert depth == 8 and kind in (2, 6)
    channels, data, at = (3 if kind == 2 else 4), b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, before, colours = zlib.decompress(data), bytes(width * channels), set()
    for row in range(height):
        start = row * (width * channels + 1)
        before = unfiltered(raw[start], raw[start + 1 : start + 1 + width * channels], before, channels)
        colours.update(zip(*(before[channel::channels] for channel in range(3)), strict=True))
    return (width, height), colours


def unfiltered(kind: int, line: bytes, above: bytes, channels: int) -> bytes:
    """One row, with the PNG filter taken off (https://www.w3.org/TR/png/#9Filters)."""
    out = bytearray(line)
    for i in range(len(out)):
        left = out[i - channels] if i >= channels else 0
        up, corner = above[i], (above[i - channels] if i >= channels else 0)
        if kind == 4:
            guess = left + up - corner
            add = min((left, up, corner), key=lambda value: abs(guess - value))
        else:
            add = (0, left, up, (left + up) // 2)[kind]
        out[i] = (out[i] + add) & 255
    return bytes(out)
