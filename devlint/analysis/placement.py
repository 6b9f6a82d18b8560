"""Where a value lives: a small lattice whose top, `UNKNOWN`, is silent."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Where(Enum):
    HOST = "host"
    """On the CPU because it was made there, not because somebody chose it."""
    HOME = "home"
    """On the CPU on purpose (`.cpu()`, `device="cpu"`); never reported, never moved."""
    DEVICE = "device"
    """Moved to a device expression."""
    EITHER = "either"
    """On a device on one way here, on the host by neglect on another."""
    SYMBOL = "symbol"
    """Wherever the caller's argument is; decided at the call or not at all."""
    UNKNOWN = "unknown"


class Certainty(Enum):
    """What a device expression is on a machine without an accelerator."""

    GUARDED = "guarded"
    """Falls back to the CPU."""
    LITERAL = "literal"
    """Names an accelerator outright, like `"cuda:0"`."""
    OPAQUE = "opaque"
    """Comes from a parameter, an option or an attribute."""


@dataclass(frozen=True, slots=True)
class Device:
    """A device expression: its text as the file writes it, and how sure it is to exist."""

    text: str
    certainty: Certainty
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    where: Where
    device: Device | None = None
    symbol: str = ""

    @property
    def on_device(self) -> bool:
        return self.where is Where.DEVICE

    @property
    def on_host(self) -> bool:
        return self.where is Where.HOST

    @property
    def may_be_on_host(self) -> bool:
        """On the host by neglect, on one way here at least."""
        return self.where is Where.HOST or self.where is Where.EITHER


HOST = Placement(Where.HOST)
HOME = Placement(Where.HOME)
UNKNOWN = Placement(Where.UNKNOWN)


def on(device: Device) -> Placement:
    return Placement(Where.DEVICE, device)


def wherever(symbol: str) -> Placement:
    """The placement of the caller's argument, or of the object, that `symbol` names."""
    return Placement(Where.SYMBOL, symbol=symbol)


def join(a: Placement, b: Placement) -> Placement:
    """The placement after two paths meet: what both agree on."""
    if a == b:
        return a
    if a.where is b.where is Where.DEVICE:
        if a.device is not None and b.device is not None and a.device.index != b.device.index:
            return on(Device(a.device.text, Certainty.OPAQUE))
        return a
    return UNKNOWN


def of_operation(operands: list[Placement]) -> Placement:
    """Where the result of an operation lives that ran without an error.

    One operand on a device decides: a host operand beside it was 0-dimensional, or the program has crashed.
    """
    best = UNKNOWN
    for place in operands:
        if place.where is Where.DEVICE:
            return place
        if place.where is Where.SYMBOL or (best.where is Where.UNKNOWN and place.where is not Where.UNKNOWN):
            best = place
    return best
