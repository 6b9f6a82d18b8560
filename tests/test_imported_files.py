"""What a program takes from other files: their top levels run as far as names are asked for."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest

from devlint.analysis.interpreter import Interpreter
from devlint.analysis.project import Project
from devlint.analysis.top_level import STAR, top_level
from devlint.check import Checker
from devlint.settings import SettingsFinder
from devlint.source.text import Source

HEAD = "import torch\nfrom torch import nn\n\n"
LOOP = "for x in loader:\n    print(net(x))\n"
LOADER = "loader = torch.utils.data.DataLoader(torch.randn(8, 3), batch_size=4)\n"

TOOLS = {
    "moved by a call that is a statement": (
        HEAD + 'device = torch.device("cuda")\nnet = nn.Linear(3, 1)\nnet.to(device)\n',
        "import torch\nfrom tools import net\n",
    ),
    "moved in a loop over models": (
        HEAD
        + 'net, other = nn.Linear(3, 1), nn.Linear(3, 1)\nfor one in (net, other):\n    one.to("cuda")\nnet.cuda()\n',
        "import torch\nfrom tools import net\n",
    ),
    "every name of the file": (
        HEAD + 'net = nn.Linear(3, 1).to("cuda")\n',
        "import torch\nfrom tools import *\n",
    ),
    "every name of a file that takes every name": (
        "from deeper import *\n",
        "import torch\nfrom tools import *\n",
    ),
    "by the name of the file": (
        HEAD + 'net = nn.Linear(3, 1).to("cuda")\n',
        "import torch\nimport tools\n\nnet = tools.net\n",
    ),
    "set by a function before it is read": (
        HEAD + "_place = None\n\n\ndef use(place):\n    global _place\n    _place = place\n\n\ndef made():\n"
        "    return nn.Linear(3, 1).to(_place)\n",
        'import torch\nimport tools\n\ntools.use(torch.device("cuda"))\nnet = tools.made()\n',
    ),
    "asked for first on one side of a condition": (
        HEAD + 'device = torch.device("cuda")\n\n\ndef made(big):\n    if big:\n        print(device)\n'
        "    return nn.Linear(3, 1).to(device)\n",
        "import sys\nimport torch\nfrom tools import made\n\nnet = made(len(sys.argv) > 1)\n",
    ),
}


@pytest.mark.parametrize("name", TOOLS)
def test_a_model_on_the_device_in_another_file(name: str, tmp_path: Path) -> None:
    tools, head = TOOLS[name]
    (tmp_path / "tools.py").write_text(tools)
    (tmp_path / "deeper.py").write_text(HEAD + 'net = nn.Linear(3, 1).to("cuda")\n')
    program = tmp_path / "program.py"
    program.write_text(head + LOADER + LOOP)
    outcome = Checker([program], SettingsFinder(isolated=True)).check()
    assert outcome.failures == []
    loop_line = (head + LOADER).count("\n") + 1
    source = outcome.sources[program]
    assert [(source.position(f.span.start).row, f.code) for f in outcome.findings if f.code != "DVL102"] == [
        (loop_line, "DVL201")
    ]


def test_only_what_is_asked_for_runs(tmp_path: Path) -> None:
    """A package's tools are imported by every file; what nobody asks for costs nothing."""
    (tmp_path / "tools.py").write_text(
        "import torch\nwanted = torch.ones(3)\n" + "unused = [torch.ones(3)] * 3\n" * 500
    )
    program = tmp_path / "program.py"
    program.write_text("from tools import wanted\nprint(wanted)\n")
    project = Project(tmp_path)
    run = Interpreter(project, project.parse(Source.read(program)))
    run.run()
    assert "wanted" in run.modules[project.parsed(tmp_path / "tools.py")].env
    assert run.steps < 50


def test_statements_by_the_names_that_hang_on_them() -> None:
    module = cst.parse_module(
        "import os\nfrom a import *\nx = y = 1\nx += 1\nx.go(z)\nif os:\n    def f():\n        inner = 1\nclass C:\n    q = 1\n"
    )
    names = top_level(module)
    assert names.first == (module.body[0],)
    assert {name: [module.body.index(s) for s in statements] for name, statements in names.by_name.items()} == {
        STAR: [1],
        "x": [2, 3, 4],
        "y": [2],
        "go": [4],
        "z": [4],
        "f": [5],
        "C": [6],
    }
