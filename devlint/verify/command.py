"""`devlint verify`: options to calls."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from devlint.errors import DevlintError

if TYPE_CHECKING:
    from devlint.verify.runner import Verdict

DEVICES = ("auto", "sim", "cuda", "mps", "xpu", "cpu")


@click.command(
    "verify",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run a program on an accelerator, real or simulated, and say where its work was done.",
)
@click.option("-m", "as_module", is_flag=True, help="SCRIPT is the name of a module, as in `python -m`.")
@click.option("--device", type=click.Choice(DEVICES), default="auto", show_default=True,
              help="auto: the real accelerator if there is one, else a simulated one; cpu: none at all.")
@click.option("--sim-devices", type=click.IntRange(min=1), default=1, show_default=True, help="Simulated devices.")
@click.option("--min-share", type=click.FloatRange(0, 1), default=0.9, show_default=True,
              help="Part of the floating-point operations that must run on the accelerator.")
@click.option("--report", type=click.Choice(("text", "json", "html")), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write the report there.")
@click.option("--time-limit", type=float, help="Seconds the program may take.")
@click.option("--fixed", is_flag=True, help="Run what `devlint check --fix` would write, without writing it.")
@click.option("--seed", type=int, help="Seed torch before the program starts.")
@click.option("--host-random-stream", is_flag=True,
              help="Devices draw from the CPU's random stream, so that numbers equal those of a CPU run.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def verify_command(
    as_module: bool, device: str, sim_devices: int, min_share: float, report: str, output: Path | None,
    time_limit: float | None, fixed: bool, seed: int | None, host_random_stream: bool, script: str,
    args: tuple[str, ...],
) -> None:
    """Run SCRIPT with ARGS as though a CUDA device existed, or on a real one, and judge the run.

    Exit code 0: it ran to the end, and enough of its work was done on the accelerator. 1: a device error, or too
    small a share. 2: bad usage, or the program failed for another reason.
    """
    try:
        from devlint.verify.program import Program, fixed_text_of_check
        from devlint.verify.runner import verify
    except ImportError as error:
        raise _usage(f"devlint verify needs torch ({error}): pip install 'devlint[verify]'") from error
    try:
        hook = fixed_text_of_check() if fixed else None
        with _program_output_aside(report == "json" and output is None):
            verdict = verify(
                Program(script, args, as_module), device=device, sim_devices=sim_devices, min_share=min_share,
                time_limit=time_limit, fixed=hook, seed=seed, own_random_stream=not host_random_stream,
            )
    except DevlintError as error:
        raise _usage(str(error)) from error
    _write(verdict, report, output)
    sys.stdout.flush()
    sys.exit(verdict.exit_code)


def _usage(text: str) -> click.ClickException:
    error = click.ClickException(text)
    error.exit_code = 2
    return error


@contextmanager
def _program_output_aside(wanted: bool) -> Iterator[None]:
    """While the program runs, what it prints goes to stderr, so that stdout is the report alone."""
    if not wanted:
        yield
        return
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _write(verdict: Verdict, report: str, output: Path | None) -> None:
    from devlint.verify import report as plain
    from devlint.verify.device_errors import as_text as error_text
    from devlint.verify.report_html import as_html

    if report == "html":
        output = output or Path("devlint-verify.html")
        output.write_text(as_html(verdict), encoding="utf-8")
        click.echo(f"report written to {output}", err=True)
        return
    text = plain.as_json(verdict) if report == "json" else plain.as_text(verdict)
    if output is None:
        click.echo(text, err=report == "text" and verdict.exit_code != 0)
        return
    output.write_text(text + "\n", encoding="utf-8")
    if verdict.error is not None:
        click.echo(error_text(verdict.error), err=True)
