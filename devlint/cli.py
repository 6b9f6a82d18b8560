"""The command line: options to calls. What a command needs is imported when it runs."""

from __future__ import annotations

import importlib
import sys
import traceback
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

import click

from devlint import __version__
from devlint.errors import DevlintError

_LAZY = {
    "verify": ("devlint.verify.command", "verify_command"),
    "doctor": ("devlint.doctor", "doctor_command"),
}
_REPORT_IT = "this is a bug in devlint; please report it with the traceback above"


class _Failure(click.ClickException):
    """The user's to mend: one line on stderr, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.echo(f"devlint: error: {self.message}", file=file, err=True)


class _Commands(click.Group):
    """The commands, those of `_LAZY` where they can be imported; errors as one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*super().list_commands(ctx), *(name for name in _LAZY if _load(name) is not None)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _load(cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DevlintError as error:
            raise _Failure(" ".join(str(error).split())) from error
        except KeyboardInterrupt:
            raise _Failure("interrupted") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception as error:
            traceback.print_exc()
            raise _Failure(f"internal error: {type(error).__name__}; {_REPORT_IT}") from error


def _load(name: str) -> click.Command | None:
    if name not in _LAZY:
        return None
    module, attribute = _LAZY[name]
    try:
        if find_spec(module) is None:
            return None
        found: object = getattr(importlib.import_module(module), attribute, None)
    except ImportError:
        return None
    return found if isinstance(found, click.Command) else None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="devlint %(version)s")
def cli() -> None:
    """Find and fix the places where PyTorch code is on the wrong device."""


@cli.command()
@click.argument("paths", nargs=-1, metavar="[PATHS|-]")
@click.option("--fix/--no-fix", default=False, help="Apply safe fixes.")
@click.option("--unsafe-fixes/--no-unsafe-fixes", default=None, help="Apply or show unsafe fixes as well.")
@click.option("--diff", is_flag=True, help="Write nothing, print what --fix would change.")
@click.option("--select", multiple=True, metavar="RULES", help="The rules to check: codes, prefixes, names, ALL.")
@click.option("--ignore", multiple=True, metavar="RULES", help="Rules to leave out.")
@click.option("--extend-select", multiple=True, metavar="RULES", help="Rules to check as well.")
@click.option(
    "--output-format", envvar="DEVLINT_OUTPUT_FORMAT", metavar="FORMAT", help="full, concise, json or github."
)
@click.option("--output-file", "-o", type=click.Path(path_type=Path), help="Write the report to a file.")
@click.option("--statistics", is_flag=True, help="Show how many findings each rule has.")
@click.option("--show-files", is_flag=True, help="List the files that would be checked.")
@click.option("--fail-on", metavar="SEVERITY", help="Exit 1 from this severity on: note, warning, error, never.")
@click.option("--exit-zero", "-e", is_flag=True, help="Exit 0 even with findings.")
@click.option("--config", multiple=True, metavar="PATH|KEY=VALUE", help="A configuration file, or one setting.")
@click.option("--isolated", is_flag=True, help="Read no configuration file.")
@click.option("--exclude", multiple=True, metavar="PATTERN", help="What to leave out, instead of the defaults.")
@click.option("--extend-exclude", multiple=True, metavar="PATTERN", help="What to leave out as well.")
@click.option("--force-exclude/--no-force-exclude", default=None, help="Exclude named files too.")
@click.option("--respect-gitignore/--no-respect-gitignore", default=None, help="Skip what git ignores.")
@click.option("--target-torch", metavar="VERSION", help="The oldest torch that the code runs on.")
@click.option("--device-style", metavar="STYLE", help="The device line of fixes: cuda or accelerator.")
@click.option("--stdin-filename", type=click.Path(path_type=Path), help="The name of what `-` reads.")
@click.option("--diff-base", metavar="REVISION", help="Report only what stands on lines added since, as git tells.")
@click.option("--explain-flow", metavar="FILE:LINE", help="Show what is believed of every name at a line.")
@click.option("--jobs", "-j", type=click.IntRange(min=1), help="Processes at most; by default one a processor.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to colour.")
@click.option("--no-color", is_flag=True, help="The same as --color never.")
@click.option("--quiet", "-q", is_flag=True, help="Print findings only.")
@click.option("--verbose", "-v", is_flag=True, help="Say what is done, and show tracebacks.")
@click.pass_context
def check(ctx: click.Context, /, **options: Any) -> None:
    """Check files and folders (by default the current one), or standard input with `-`.

    Exit code: 0 clean, 1 findings (with --diff: a change), 2 usage, configuration or internal error.
    """
    from devlint.run import Request, run_check
    from devlint.workers import collect_rarely

    collect_rarely()
    if options.pop("no_color"):
        options["color"] = "never"
    ctx.exit(run_check(Request(**options)))


@cli.command()
@click.argument("rule", required=False)
@click.option("--all", "every", is_flag=True, help="Every rule.")
@click.option("--output-format", type=click.Choice(["text", "json"]), default="text")
def rule(rule: str | None, every: bool, output_format: str) -> None:
    """Explain a rule, given by its code or name."""
    from devlint.explain import explain_rules

    if (rule is None) != every:
        raise click.UsageError("name one rule, or ask for --all")
    click.echo(explain_rules(rule, as_json=output_format == "json"), nl=False)


@cli.command()
@click.argument("key", required=False)
def config(key: str | None) -> None:
    """Show the settings that hold in the current folder, or explain one."""
    from devlint.explain import explain_settings

    click.echo(explain_settings(key), nl=False)


@cli.command()
def version() -> None:
    """Show the version."""
    click.echo(f"devlint {__version__}")


def main() -> None:
    """The entry point of the `devlint` command."""
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(errors="backslashreplace")
    cli(prog_name="devlint")
