"""What the analysis says of small programs: first what it must not say, then what it must."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.check import Checker
from devlint.finding import Severity
from devlint.settings import SettingsFinder

HEAD = """\
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

"""
DEVICE = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
LOADER = "loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8, 1)), batch_size=4)\n"


def findings(tmp_path: Path, program: str, *, notes: bool = False, name: str = "program.py") -> list[tuple[int, str]]:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(program)
    outcome = Checker([path], SettingsFinder(isolated=True)).check()
    assert outcome.failures == []
    if not outcome.findings:
        return []
    source = outcome.sources[path]
    return [
        (source.position(finding.span.start).row, finding.code)
        for finding in outcome.findings
        if notes or finding.severity is not Severity.NOTE
    ]


SILENT = {
    "moves in the other branch of a guard": HEAD
    + "x = torch.ones(3)\nnet = nn.Linear(3, 1)\nif torch.cuda.is_available():\n    net.cuda()\n    x = x.cuda()\nnet(x)\n",
    "guard by a flag with a name": HEAD
    + "def run(args):\n    model = nn.Linear(3, 1)\n    if args.cuda:\n        model.cuda()\n    return model\n",
    "early return without CUDA": HEAD
    + "def bench():\n    if not torch.cuda.is_available():\n        return None\n    return torch.ones(3).cuda()\n",
    "assertion of CUDA": HEAD + "assert torch.cuda.is_available()\nx = torch.ones(3).cuda()\n",
    "ternary on a flag": HEAD
    + "use_cuda = torch.cuda.is_available()\nTensor = torch.cuda.FloatTensor if use_cuda else torch.FloatTensor\n"
    + "x = Tensor([1.0])\n",
    "dtype conversion": HEAD + "x = torch.ones(3)\nx.to(torch.float64)\nprint(x)\n",
    "conversion by a variable dtype": HEAD + "def cast(x, dtype):\n    x.to(dtype)\n    return x.sum()\n",
    "the CPU chosen": HEAD
    + 'device = torch.device("cpu")\nmodel = nn.Linear(3, 1).to(device)\n'
    + LOADER
    + "for x, y in loader:\n    (model(x.to(device)) - y.to(device)).pow(2).mean().backward()\n",
    "a frozen batch that moves in place": HEAD
    + DEVICE
    + "def run(model, loader):\n    for batch in loader:\n        batch.to(device)\n        model(batch.x, batch.edge_index)\n",
    "a 0-dim tensor": HEAD + DEVICE + "x = torch.ones(3, device=device)\nprint(x * torch.tensor(2.0))\n",
    "a reduced host tensor": HEAD
    + DEVICE
    + "x = torch.ones(3, device=device)\nw = torch.rand(5)\nprint(x * w.mean())\n",
    "a model only defined": HEAD
    + "class Net(nn.Module):\n    def forward(self, x):\n        return x + torch.zeros(3)\n",
    "a shape check": HEAD + 'if __name__ == "__main__":\n    print(nn.Linear(3, 1)(torch.rand(2, 3)).shape)\n',
    "a module without parameters": HEAD
    + DEVICE
    + "class Scale(nn.Module):\n    def forward(self, x):\n        return x * 2\n\n\nprint(Scale()(torch.ones(3, device=device)))\n",
    "accelerate": HEAD
    + "from accelerate import Accelerator\nacc = Accelerator()\nmodel = nn.Linear(3, 1)\n"
    + LOADER
    + "model, loader = acc.prepare(model, loader)\nfor x, y in loader:\n    acc.backward((model(x) - y).mean())\n",
    "moved in a setup method": HEAD
    + "class Trainer:\n    def __init__(self, device):\n        self.device = device\n        self.model = nn.Linear(3, 1)\n\n"
    + "    def setup(self):\n        self.model.to(self.device)\n\n"
    + "    def step(self, x):\n        return self.model(x.to(self.device))\n",
    "data parallel scatters": HEAD
    + "model = nn.DataParallel(nn.Linear(3, 1)).to('cuda' if torch.cuda.is_available() else 'cpu')\n"
    + LOADER
    + "for x, _ in loader:\n    model(x)\n",
    "numpy of an unknown tensor": HEAD + "def plot(x):\n    return x.to(x.device).numpy()\n",
    "isinstance tells": HEAD
    + DEVICE
    + "import numpy as np\n\n\ndef area(x):\n    if isinstance(x, (list, tuple)):\n        x = np.asarray(x)\n    return x.sum()\n\n\n"
    + "area(torch.ones(3, device=device))\n",
    "no torch at all": "class Length:\n    def to(self, unit):\n        return self\n\n\nLength().to('cm')\n",
}


@pytest.mark.parametrize("program", SILENT.values(), ids=SILENT.keys())
def test_silent(program: str, tmp_path: Path) -> None:
    assert findings(tmp_path, program) == []


LOUD = {
    "aliases": (
        "import torch as t\nimport torch.nn as n\n\nmodel = n.Linear(3, 1)\nmodel.cuda()\nx = t.ones(3).cuda()\n",
        [(5, "DVL101"), (6, "DVL101")],
    ),
    "device imported": (
        'from torch import device, ones\n\nd = device("cuda")\nx = ones(3).to(d)\n',
        [(3, "DVL102")],
    ),
    "variable holds the literal": (
        HEAD + 'where = "cuda"\nx = torch.ones(3).to(where)\n',
        [(5, "DVL102")],
    ),
    "another name for the model": (
        HEAD
        + DEVICE
        + LOADER
        + "model = nn.Linear(3, 1)\nnet = model\nmodel.to(device)\nfor x, y in loader:\n    net(x)\n",
        [(10, "DVL201")],
    ),
    "several models in one statement": (
        HEAD + DEVICE + "q, target = nn.Linear(3, 1), nn.Linear(3, 1)\nq.to(device)\nx = torch.ones(2, 3).to(device)\n"
        "q(x)\ntarget(x)\n",
        [(6, "DVL309")],
    ),
    "held by a plain class": (
        HEAD
        + "class Agent:\n    def __init__(self):\n        self.device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "        self.net = nn.Linear(3, 1).to(self.device)\n\n"
        "    def act(self, state):\n        state = torch.FloatTensor(state)\n        return self.net(state)\n\n\n"
        "Agent().act([[1.0, 2.0, 3.0]])\n",
        [(11, "DVL201")],
    ),
    "method other than forward": (
        HEAD
        + DEVICE
        + "class VAE(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.dec = nn.Linear(2, 3)\n\n"
        "    def decode(self, z):\n        return self.dec(z)\n\n\n"
        "vae = VAE().to(device)\nz = torch.randn(4, 2)\nprint(vae.decode(z).shape)\n",
        [(16, "DVL204")],
    ),
    "nested batch": (
        HEAD
        + DEVICE
        + "model = nn.Linear(3, 1).to(device)\n"
        + LOADER
        + "for i, ((x, y), (u, v)) in enumerate(zip(loader, loader)):\n    x = x.to(device)\n    model(x)\n    model(u)\n",
        [(8, "DVL201")],
    ),
    "siblings": (
        HEAD
        + "def fit(model, loader, device):\n    model.train()\n    for x, y in loader:\n        x = x.to(device)\n        model(x)\n\n\n"
        "def evaluate(model, loader):\n    model.eval()\n    for x, y in loader:\n        model(x)\n",
        [(14, "DVL201")],
    ),
    "device taken and never used": (
        HEAD
        + "def fit(model, loader, device):\n    model.train()\n    for x, y in loader:\n        model(x).mean().backward()\n",
        [(7, "DVL201")],
    ),
    "nothing is moved and it trains": (
        HEAD + LOADER + "model = nn.Linear(3, 1)\nfor x, y in loader:\n    (model(x) - y).pow(2).mean().backward()\n",
        [(6, "DVL301"), (7, "DVL201")],
    ),
    "comprehension over a loader": (
        HEAD + DEVICE + LOADER + "model = nn.Linear(3, 1).to(device)\nprint([model(x) for x, y in loader])\n",
        [(8, "DVL201")],
    ),
    "helper drops its result": (
        HEAD
        + DEVICE
        + "def send(batch):\n    return [part.to(device) for part in batch]\n\n\n"
        + LOADER
        + "for batch in loader:\n    send(batch)\n",
        [(12, "DVL202")],
    ),
}


@pytest.mark.parametrize(("program", "expected"), LOUD.values(), ids=LOUD.keys())
def test_reported(program: str, expected: list[tuple[int, str]], tmp_path: Path) -> None:
    assert findings(tmp_path, program) == expected


def test_test_files_may_run_on_the_cpu(tmp_path: Path) -> None:
    program = HEAD + LOADER + "model = nn.Linear(3, 1)\nfor x, y in loader:\n    (model(x) - y).mean().backward()\n"
    assert findings(tmp_path, program, name="tests/test_model.py") == []


def test_import_cycle_is_no_problem(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nfrom b import g\n\n\ndef f(x):\n    return g(x)\n")
    (tmp_path / "b.py").write_text("import torch\nfrom a import f\n\n\ndef g(x):\n    return f(x)\n")
    assert findings(tmp_path, "import torch\nfrom a import f\n\nf(torch.ones(3))\n") == []


def test_recursion_ends(tmp_path: Path) -> None:
    program = HEAD + "def down(x, n):\n    return down(x + 1, n - 1) if n else x\n\n\nprint(down(torch.ones(3), 5))\n"
    assert findings(tmp_path, program) == []


@pytest.mark.parametrize(
    "program",
    [
        "import torch\n" + "".join(f"{'    ' * i}if x{i}:\n" for i in range(90)) + "    " * 90 + "y = 1\n",
        "import torch\ndef f(x):\n" + "".join(f"    if x == {i}:\n        y{i} = x\n" for i in range(300)),
        "import torch\nd = {\n" + "".join(f"    {i}: torch.ones({i}),\n" for i in range(1000)) + "}\n",
        "import torch\nx = torch.ones(1)\n" + "".join(f"y{i} = x + {i}\n" for i in range(5000)),
        "import torch\nx = " + "(" * 80 + "1" + ")" * 80 + "\n",
        "import torch\nx = " + " + ".join(["y"] * 300) + "\n",
    ],
    ids=["deep", "branches", "keys", "long", "parentheses", "sum"],
)
def test_large_code_is_bounded(program: str, tmp_path: Path) -> None:
    assert findings(tmp_path, program) == []
