"""Syntax error.

The file uses torch but is not Python that devlint can read, so nothing in it was checked.

## What it finds

A file that holds the word `torch` and cannot be decoded (its bytes do not fit the encoding it declares, UTF-8
where it declares none) or cannot be parsed as Python 3. Python 2 code is named as such.

## Why it matters

An unreadable file is an unchecked file. Saying nothing would look like "no device bugs here".

## Example

```python
import torch

print "device:", torch.cuda.is_available()
```

## Use instead

```python
import torch

print("device:", torch.cuda.is_available())
```

## When this is not a bug

A file that is meant not to parse (a template, test data of another tool). Leave it out with `exclude`, or
turn the rule off for it with `per-file-ignores`. A comment in the file cannot: the file is not read.

## Fix safety

There is no fix.
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule
from devlint.source.syntax import SyntaxProblem

RULE = Rule("DVL901", "syntax-error", severity=Severity.ERROR, since="0.1")


@RULE.on(SyntaxProblem)
def file_cannot_be_read(problem: SyntaxProblem, context: Context) -> Iterator[Finding]:
    """The file is no Python."""
    message = f"not checked: {problem.message}"
    yield Finding(RULE.code, RULE.name, message, RULE.severity, context.path, problem.span)
