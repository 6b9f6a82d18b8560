"""docs/migrating.md: each configuration finds, line for line, what the in-house linter finds, save what the page admits.

The programs are written after the linters' descriptions. `# theirs` marks a line that the linter reports, `# admitted`
one that it reports and devlint does not, `# ours` one that only devlint reports.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from conftest import Invoke

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "migrating.md").read_text()
CONFIGURATIONS = dict(re.findall(r"^<!-- ([\w-]+) -->\n```toml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))

PYTORCH = """\
import unittest

import torch
from torch.testing._internal.triton_utils import requires_cuda_and_triton, requires_gpu


class Kernels(unittest.TestCase):
    @requires_gpu
    def test_add(self):
        x = torch.ones(4, device="cuda")  # theirs
        y = torch.ones(4, device=torch.device("cuda"))  # theirs
        z = torch.ones(4).cuda()  # theirs
        w = torch.ones(4).to("cuda")  # ours
        with torch.device("cuda"):  # admitted
            v = torch.ones(4)
        self.assertEqual((x + y + z + w + v).device, torch.device("cuda"))

    @requires_cuda_and_triton
    def test_graphs(self):
        return torch.ones(4, device="cuda")

    def test_host(self):
        return torch.ones(4, device="cpu")
"""
TORCHTITAN = """\
import torch
from torch import cuda


def start(rank, path, model, runner):
    torch.cuda.set_device(rank)  # theirs
    print(torch.cuda.is_available())  # theirs
    print(torch.cuda.device_count())  # theirs
    print(torch.cuda.current_device())  # theirs
    torch.cuda.set_stream(torch.cuda.current_stream())  # theirs
    torch.cuda.empty_cache()  # theirs
    torch.cuda.synchronize()  # theirs
    print(torch.cuda.memory_stats(), torch.cuda.memory_allocated())  # theirs
    print(torch.cuda.memory_reserved())  # theirs
    print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())  # theirs
    print(torch.cuda.mem_get_info())  # theirs
    torch.cuda.reset_peak_memory_stats()  # theirs
    torch.cuda.reset_accumulated_memory_stats()  # theirs
    print(torch.cuda.get_rng_state())  # theirs
    print(torch.cuda.get_rng_state_all())  # theirs
    print(torch.cuda.initial_seed())  # theirs
    wait = torch.cuda.synchronize  # theirs
    cuda.synchronize()  # ours
    model.cuda()  # theirs
    model.cuda(rank)  # theirs
    x = torch.randn(2, device="cuda")  # theirs
    x = x.to("cuda:0")  # theirs
    x = x.to(torch.device("cuda"))  # theirs
    torch.load(path, map_location="cuda")  # theirs
    with torch.autocast(device_type="cuda"):  # theirs
        model(x)
    runner(device_type="cuda")  # admitted
    graph = torch.cuda.CUDAGraph()
    x.cuda()  # devlint: ignore[DVL101] the kernel below is CUDA's
    x.cuda()  # devlint: ignore[DVL101]  # theirs:
    return wait, graph


def checked(x):
    if torch.cuda.is_available():  # theirs
        return x.to("cuda")  # admitted
    return x
"""
VLLM_CALLS = """\
import torch
from torch import cuda
from vllm.platforms import current_platform
from vllm.utils.torch_utils import cuda_device_count_stateless  # ours


def measure(rank):
    torch.cuda.empty_cache()  # theirs
    torch.cuda.synchronize()  # theirs
    print(torch.cuda.device_count(), torch.cuda.current_device())  # theirs
    print(torch.cuda.memory_reserved(), torch.cuda.memory_allocated())  # theirs
    print(torch.cuda.max_memory_allocated(), torch.cuda.max_memory_reserved())  # theirs
    torch.cuda.reset_peak_memory_stats()  # theirs
    print(torch.cuda.memory_stats(), torch.cuda.mem_get_info())  # theirs
    torch.cuda.set_device(rank)  # theirs
    with torch.cuda.device(rank):  # theirs
        torch.cuda.manual_seed(0)  # theirs
    torch.cuda.manual_seed_all(0)  # theirs
    print(cuda_device_count_stateless())  # admitted
    {last}
    cuda.synchronize()  # ours
    print(torch.cuda.is_available(), torch.cuda.CUDAGraph())
"""
VLLM_HELPER = "import torch\n\n\ndef cuda_device_count_stateless():\n    return 1\n"
LLM_COMPRESSOR = """\
import torch
import torch.cuda as c
from torch.cuda import synchronize  # theirs


def compress(x):
    print(torch.cuda.is_available())  # theirs
    with torch.cuda.stream(torch.cuda.Stream()):  # theirs
        torch.cuda.nvtx.range_push("x")  # theirs
    torch.cuda.manual_seed_all(0)  # theirs
    synchronize()  # ours
    c.empty_cache()  # ours
    backend = torch.cuda  # admitted
    return x.cuda(), backend
"""
HELION = """\
import torch
from helion._testing import DEVICE

x = torch.ones(3, device="cuda")  # theirs
y = torch.ones(3, device="cuda:1")  # theirs
z = torch.ones(3, device="cpu")  # admitted
w = torch.ones(3, device="meta")  # admitted
v = torch.ones(3, device=DEVICE)
u = torch.ones(3, device="cuda")  # devlint: ignore[DVL102] the launcher is CUDA's
t = torch.ones(3).to("cuda")  # ours
"""
DEEPSPEED = '''\
"""Not by torch.cuda."""  # admitted

import torch
from torch import cuda


def step(batch, store, rank):
    if batch.is_cuda:  # theirs
        torch.cuda.synchronize()  # theirs
    cuda.empty_cache()  # ours
    kind = torch.cuda.FloatTensor  # theirs
    store["w"].data.cuda()  # theirs
    batch.cuda(rank)  # ours
    backend = torch.cuda  # admitted
    return store["w"].data.is_cuda, kind, backend  # theirs
'''
VERL = '''\
import torch
import torch.distributed as dist


class Worker:
    """Runs on "cuda"."""  # admitted

    def start(self, x, device_name: str = "cuda"):  # theirs
        dist.init_process_group(backend="nccl")  # admitted
        target = "cuda"  # theirs
        x = x.to(target)
        if x.device.type == "cuda":  # admitted
            torch.cuda.empty_cache()  # theirs
        return x.cuda()  # theirs
'''
PROGRAMS = {
    "pytorch": {"test/test_kernels.py": PYTORCH},
    "torchtitan": {"torchtitan/train.py": TORCHTITAN},
    "vllm": {
        "vllm/worker.py": VLLM_CALLS.format(last="print(current_platform.mem_get_info())  # theirs"),
        "vllm/__init__.py": "",
        "vllm/utils/__init__.py": "",
        "vllm/utils/torch_utils.py": VLLM_HELPER,
        "vllm/backends/platform/cuda.py": "import torch\n\ntorch.cuda.synchronize()\n",
    },
    "vllm-omni": {
        "vllm_omni/worker/other.py": VLLM_CALLS.format(last="print(current_platform.mem_get_info())"),
        "vllm/__init__.py": "",
        "vllm/utils/__init__.py": "",
        "vllm/utils/torch_utils.py": VLLM_HELPER,
        "vllm_omni/platforms/cuda.py": "import torch\n\ntorch.cuda.synchronize()\n",
        "vllm_omni/worker/gpu_ar_model_runner.py": "import torch\n\ntorch.cuda.synchronize()\n",
    },
    "llm-compressor": {"src/compress.py": LLM_COMPRESSOR},
    "helion": {"examples/add.py": HELION},
    "deepspeed": {
        "deepspeed/step.py": DEEPSPEED,
        "accelerator/cuda_accelerator.py": "import torch\n\ntorch.cuda.synchronize()\n",
    },
    "verl": {
        "verl/worker.py": VERL,
        "verl/utils/device.py": 'import torch\n\ntorch.cuda.synchronize()\nx = torch.ones(1, device="cuda")\n',
    },
}


def write(folder: Path, name: str) -> None:
    for path, text in PROGRAMS[name].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "pyproject.toml").write_text(CONFIGURATIONS[name])


def marked(name: str, word: str) -> set[tuple[str, int]]:
    return {
        (path, row)
        for path, text in PROGRAMS[name].items()
        for row, line in enumerate(text.splitlines(), 1)
        if line.rstrip(":").endswith(f"# {word}")
    }


def reported(invoke: Invoke, folder: Path, *arguments: str) -> set[tuple[str, int]]:
    """File and row of every finding."""
    run = invoke("check", "--output-format", "json", *arguments)
    assert run.exit_code in (0, 1), run.stderr
    rows = json.loads(run.stdout)
    return {(Path(row["filename"]).relative_to(folder).as_posix(), row["location"]["row"]) for row in rows}


def test_every_linter_has_a_configuration_and_a_program() -> None:
    assert CONFIGURATIONS.keys() == PROGRAMS.keys()
    assert len(re.findall(r"^## ", PAGE, re.MULTILINE)) == len(CONFIGURATIONS)
    for configuration in CONFIGURATIONS.values():
        assert tomllib.loads(configuration)["tool"]["devlint"]["select"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_lines_and_more(invoke: Invoke, tmp_path: Path, name: str) -> None:
    write(tmp_path, name)
    theirs, ours = marked(name, "theirs"), marked(name, "ours")
    assert theirs, "a program without a line to find proves nothing"
    assert reported(invoke, tmp_path) == theirs | ours


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_not_found_is_admitted(name: str) -> None:
    section = PAGE[PAGE.index(f"<!-- {name} -->") :].partition("\n## ")[0]
    assert marked(name, "admitted")
    assert "Does not find: " in section


def test_the_replacements_are_written(invoke: Invoke, tmp_path: Path) -> None:
    """The text that lint_cuda.py spoils: a context manager, an import, and a name without a twin."""
    write(tmp_path, "llm-compressor")
    invoke("check", "--fix", "--unsafe-fixes")
    text = (tmp_path / "src" / "compress.py").read_text()
    compile(text, "compress.py", "exec")
    assert "print(torch.accelerator.is_available())" in text
    assert "with torch.cuda.stream(torch.Stream()):" in text
    assert 'torch.get_device_module().nvtx.range_push("x")' in text
    assert "from torch.cuda import synchronize" in text


def test_the_projects_own_device_is_written(invoke: Invoke, tmp_path: Path) -> None:
    write(tmp_path, "helion")
    invoke("check", "--fix")
    text = (tmp_path / "examples" / "add.py").read_text()
    assert "x = torch.ones(3, device=DEVICE)" in text
    assert text.count("import DEVICE") == 1
