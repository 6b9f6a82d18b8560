"""`devlint verify`: options to calls, nothing else."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from devlint.errors import DevlintError


@click.command(
    "verify",
    context_settings={
        "ignore_unknown_options": True,
        "allow_interspersed_args": False,
        "max_content_width": 100,
    },
)
@click.option("-m", "module", metavar="MODULE", help="Run a module instead of a script, as `python -m` does.")
@click.option(
    "--device",
    type=click.Choice(["auto", "sim", "cuda", "mps", "xpu"]),
    default="auto",
    show_default=True,
    help="auto: the accelerator torch sees, else the simulated one.",
)
@click.option(
    "--sim-devices",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="How many devices to simulate.",
)
@click.option(
    "--min-share",
    type=click.FloatRange(0, 1),
    default=0.9,
    show_default=True,
    help="Part of the floating-point operations that must run on the accelerator.",
)
@click.option(
    "--report",
    "form",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="Form of the report.",
)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to a file.")
@click.option(
    "--time-limit",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="Stop the program after this time.",
)
@click.option("--fixed", is_flag=True, help="Run what `devlint check --fix` would write, without writing it.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fixed: unsafe fixes too.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[SCRIPT] [ARGS]...")
def verify_command(
    module: str | None,
    device: str,
    sim_devices: int,
    min_share: float,
    form: str,
    output: Path | None,
    time_limit: float | None,
    fixed: bool,
    unsafe_fixes: bool,
    arguments: tuple[str, ...],
) -> None:
    """Run a program on an accelerator, a real or a simulated one, and say where its work was done.

    Exit code 0: the program ran to its end and did its work on the accelerator; 1: a device error, or too
    little work there; 2: wrong usage, or the program failed for another reason.
    """
    if module is None and not arguments:
        raise click.UsageError("name a script, or a module with -m")
    try:
        sys.exit(
            _run(
                module,
                device,
                sim_devices,
                min_share,
                form,
                output,
                time_limit,
                fixed,
                unsafe_fixes,
                arguments,
            )
        )
    except DevlintError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(2)


def _run(
    module: str | None,
    device: str,
    sim_devices: int,
    min_share: float,
    form: str,
    output: Path | None,
    time_limit: float | None,
    fixed: bool,
    unsafe_fixes: bool,
    arguments: tuple[str, ...],
) -> int:
    try:
        from devlint.verify.runner import Program, verify
    except ImportError as error:
        raise DevlintError(f"devlint verify needs torch ({error}); install devlint[verify]") from error
    from devlint.verify.fixed_imports import fixed_texts
    from devlint.verify.report_html import as_html
    from devlint.verify.report_text import as_text

    program = Program(module=module) if module else Program(path=Path(arguments[0]))
    report = verify(
        program,
        arguments if module else arguments[1:],
        device=device,
        devices=sim_devices,
        time_limit=time_limit,
        texts=fixed_texts(unsafe_fixes) if fixed else None,
    )
    code = report.exit_code(min_share)
    writers = {"text": as_text, "html": as_html}
    if form == "json":
        text = json.dumps({**report.as_dict(), "min_share": min_share, "exit_code": code}, indent=2)
    else:
        text = writers[form](report, min_share)
    if output is not None:
        output.write_text(text + "\n", encoding="utf-8")
    else:
        # the program's own output stands on stdout; the report in text form joins its errors on stderr
        click.echo(text, err=form == "text")
    if form != "text" and report.failure is not None:
        click.echo(str(report.failure), err=True)
    return code
