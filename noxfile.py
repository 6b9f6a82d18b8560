"""The project's chores: `nox -l` lists them, `nox -s tests` runs one. Arguments after `--` go to the tool.

The sessions `cases`, `ecosystem` and `docs` write pages below docs/; commit what they write.
"""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_existing_virtualenvs = True
nox.options.sessions = ["lint", "types", "tests"]

PYTHONS = ["3.11", "3.12", "3.13"]
CHECKED = ["devlint", "rules", "benchmarks", "tests", "examples", "noxfile.py"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the test suite."""
    session.install("-e", ".[dev]")
    session.run("pytest", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Run ruff, and devlint on itself."""
    session.install("-e", ".", "ruff>=0.12")
    session.run("ruff", "check", *CHECKED)
    session.run("ruff", "format", "--check", *CHECKED)
    session.run("devlint", "check", "devlint", "rules", "benchmarks")


@nox.session
def types(session: nox.Session) -> None:
    """Run mypy in strict mode on the package, and on the programs beside it."""
    session.install("-e", ".[dev]")
    session.run("mypy", "--strict")
    session.run("mypy", "--strict", "benchmarks", "noxfile.py", env={"MYPYPATH": "benchmarks"})
    session.run("mypy", "--strict", "tests/plugin_example/lab_rules")


@nox.session
def gpu(session: nox.Session) -> None:
    """On a machine with a GPU: the tests marked gpu and the speed-up of a fix, in under four minutes."""
    session.install("-e", ".[dev]")
    session.run("bash", "benchmarks/gpu_check.sh", *session.posargs, external=True)


@nox.session
def cases(session: nox.Session) -> None:
    """Score devlint on the corpus of cases and write docs/accuracy.md."""
    session.install("-e", ".")
    session.run("python", "benchmarks/score_cases.py", "--write", "docs/accuracy.md", *session.posargs)


@nox.session
def ecosystem(session: nox.Session) -> None:
    """Run devlint over ten real projects and write docs/ecosystem.md (downloads about 25 MB once)."""
    session.install("-e", ".", "pip")
    session.run("python", "benchmarks/ecosystem.py", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Time devlint on one large project, without writing a page."""
    session.install("-e", ".", "pip")
    session.run("python", "benchmarks/ecosystem.py", *(session.posargs or ["diffusers"]))


@nox.session(name="new-rule", venv_backend="none")
def new_rule(session: nox.Session) -> None:
    """Write the skeleton of a rule and of its cases: nox -s new-rule -- NAME FAMILY [FACT]."""
    session.run("python", "benchmarks/new_rule.py", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Write docs/rules from the rules, and check that every link between the pages leads somewhere."""
    session.install("-e", ".")
    session.run("python", "benchmarks/rule_pages.py")
    session.run("python", "benchmarks/check_links.py", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs")
    session.run("devlint", "rule", "--all", silent=True)
