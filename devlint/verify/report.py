"""What `devlint verify` found, as data: written by the runner, read by the reporters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from devlint.verify.device_errors import Failure
from devlint.verify.ledger import Ledger, Transfer
from devlint.verify.model_watch import Called
from devlint.verify.places import Place
from devlint.verify.tally import Tally, Work


@dataclass
class Report:
    """One run of a program.

    device: "sim", or the type of the real accelerator. share: part of the work done on it, 0 to 1.
    """

    program: str
    device: str
    seconds: float
    work: Work
    lines: dict[Place, Work]
    transfers: list[Transfer]
    peaks: dict[str, int]
    host_models: list[Called]
    timeline: list[tuple[float, str, int]]
    failure: Failure | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Part of the floating-point operations (of the operations, where no formula counts any) on the
        accelerator.
        """
        return self.work.share

    def exit_code(self, min_share: float) -> int:
        """0: ran and did its work on the accelerator; 1: a device error or too little of it; 2: failed
        otherwise.
        """
        if self.failure is not None:
            return 1 if self.failure.device_error else 2
        return 0 if self.share >= min_share else 1

    @property
    def hot_host_lines(self) -> list[tuple[Place, Work]]:
        """Lines that computed on the host, most work first."""
        found = [(place, work) for place, work in self.lines.items() if work.host_ops]
        return sorted(found, key=lambda item: (-item[1].host_flops, -item[1].host_ops))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "program": self.program,
            "device": self.device,
            "seconds": round(self.seconds, 3),
            "share": round(self.share, 6),
            "operations": {"accelerator": self.work.device_ops, "host": self.work.host_ops},
            "flops": {"accelerator": self.work.device_flops, "host": self.work.host_flops},
            "error": _failure(self.failure),
            "host_lines": [_line(place, work) for place, work in self.hot_host_lines],
            "transfers": [
                {
                    "file": entry.place.file,
                    "line": entry.place.line,
                    "from": entry.source,
                    "to": entry.target,
                    "what": entry.what,
                    "count": entry.count,
                    "bytes": entry.nbytes,
                }
                for entry in self.transfers
            ],
            "models_on_host": [
                {
                    "name": m.name,
                    "file": m.place.file,
                    "line": m.place.line,
                    "parameters": m.parameters,
                    "calls": m.calls,
                }
                for m in self.host_models
            ],
            "peak_bytes": self.peaks,
            "notes": self.notes,
        }


def _line(place: Place, work: Work) -> dict[str, Any]:
    return {"file": place.file, "line": place.line, "operations": work.host_ops, "flops": work.host_flops}


def _failure(failure: Failure | None) -> dict[str, Any] | None:
    if failure is None:
        return None
    mixed = failure.mixed
    return {
        "type": failure.type,
        "message": failure.message,
        "device_error": failure.device_error,
        "trace": [
            {"file": file, "line": line, "function": function, "text": text}
            for file, line, function, text in failure.lines
        ],
        "operands": [
            {
                "shape": list(operand.shape),
                "dtype": operand.dtype,
                "device": operand.device,
                "created": str(operand.created),
                "moved": str(operand.moved) if operand.moved.file else None,
            }
            for operand in (mixed.operands if mixed else ())
        ],
    }


def compiled(
    program: str,
    device: str,
    seconds: float,
    tally: Tally,
    ledger: Ledger,
    host_models: Iterable[Called],
    failure: Failure | None,
) -> Report:
    """Put a report together from what was noted during the run."""
    return Report(
        program=program,
        device=device,
        seconds=seconds,
        work=tally.total,
        lines=tally.lines,
        transfers=sorted(ledger.transfers.values(), key=lambda entry: -entry.nbytes),
        peaks={str(device): memory.peak for device, memory in ledger.memory.items() if device.type != "meta"},
        host_models=list(host_models),
        timeline=[(since, side, ops) for since, side, ops in tally.timeline],
        failure=failure,
    )
