"""What `--fix` writes: the device plan, and every byte that it must leave alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from devlint.check import Checker
from devlint.fixes.passes import fix_until_stable
from devlint.fixes.unbound import unbound_names
from devlint.settings import SettingsFinder

HEAD = "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader, TensorDataset\n"
FALLBACK = 'device = torch.device("cuda" if torch.cuda.is_available() else "cpu")\n'
LOADER = "loader = DataLoader(TensorDataset(torch.randn(8, 3), torch.randn(8, 1)), batch_size=4)\n"


def fixed_bytes(tmp_path: Path, data: bytes, *, unsafe: bool = False, **options: object) -> bytes:
    path = tmp_path / "program.py"
    path.write_bytes(data)
    checker = Checker([path], SettingsFinder(isolated=True, options=options))
    fixed = fix_until_stable(checker, unsafe=unsafe)
    assert fixed.outcome.failures == []
    result = fixed.changed[path].data if path in fixed.changed else data
    path.write_bytes(result)
    again = fix_until_stable(Checker([path], SettingsFinder(isolated=True, options=options)), unsafe=unsafe)
    assert path not in again.changed, "fixing twice changed the text twice"
    return result


def fixed(tmp_path: Path, program: str, *, unsafe: bool = False, **options: object) -> str:
    return fixed_bytes(tmp_path, program.encode(), unsafe=unsafe, **options).decode()


def test_device_is_defined_after_the_imports(tmp_path: Path) -> None:
    assert fixed(tmp_path, HEAD + "x = torch.ones(3).cuda()\n") == (
        HEAD + "\n" + FALLBACK + "\nx = torch.ones(3).to(device)\n"
    )


def test_device_is_defined_after_docstring_and_future(tmp_path: Path) -> None:
    program = '"""Doc."""\nfrom __future__ import annotations\n\nimport torch\n\nx = torch.ones(3).cuda()\n'
    assert fixed(tmp_path, program) == (
        '"""Doc."""\nfrom __future__ import annotations\n\nimport torch\n\n'
        + FALLBACK
        + "\nx = torch.ones(3).to(device)\n"
    )


def test_torch_is_imported_where_only_parts_of_it_are(tmp_path: Path) -> None:
    text = fixed(tmp_path, "from torch import ones\n\nx = ones(3).cuda()\n")
    assert text == "from torch import ones\nimport torch\n\n" + FALLBACK + "\nx = ones(3).to(device)\n"


def test_alias_of_torch_is_used(tmp_path: Path) -> None:
    text = fixed(tmp_path, "import torch as t\n\nx = t.ones(3).cuda()\n")
    assert 'device = t.device("cuda" if t.cuda.is_available() else "cpu")' in text


def test_device_in_scope_is_reused(tmp_path: Path) -> None:
    program = HEAD + "DEVICE = " + FALLBACK.removeprefix("device = ") + "x = torch.ones(3).cuda()\n"
    assert fixed(tmp_path, program) == program.replace(".cuda()\n", ".to(DEVICE)\n")


def test_attribute_of_self_is_reused(tmp_path: Path) -> None:
    program = HEAD + (
        "\n\nclass Trainer:\n    def __init__(self, model):\n"
        "        self.device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "        self.model = model.to(self.device)\n\n"
        "    def step(self, x):\n        return self.model(x.cuda())\n"
    )
    assert "self.model(x.to(self.device))" in fixed(tmp_path, program, unsafe=True)


def test_name_that_means_something_else_is_not_taken(tmp_path: Path) -> None:
    program = HEAD + 'device = "laptop"\nx = torch.ones(3).cuda()\nprint(device)\n'
    text = fixed(tmp_path, program)
    assert "DEVICE = torch.device(" in text
    assert "x = torch.ones(3).to(DEVICE)" in text


def test_definition_stands_in_main_where_everything_is(tmp_path: Path) -> None:
    program = (
        HEAD
        + '\n\ndef main():\n    """Run."""\n    x = torch.ones(3).cuda()\n    print(x)\n\n\nif __name__ == "__main__":\n    main()\n'
    )
    assert fixed(tmp_path, program) == program.replace('    """Run."""\n', '    """Run."""\n    ' + FALLBACK).replace(
        ".cuda()", ".to(device)"
    )


def test_non_blocking_is_kept(tmp_path: Path) -> None:
    text = fixed(tmp_path, HEAD + "x = torch.ones(3).cuda(non_blocking=True)\n")
    assert "x = torch.ones(3).to(device, non_blocking=True)\n" in text


def test_model_moves_before_its_optimizer(tmp_path: Path) -> None:
    program = (
        HEAD
        + LOADER
        + (
            "model = nn.Linear(3, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "for x, y in loader:\n    (model(x) - y).pow(2).mean().backward()\n    optimizer.step()\n"
        )
    )
    text = fixed(tmp_path, program)
    assert "model = nn.Linear(3, 1).to(device)\noptimizer" in text
    assert "for x, y in loader:\n    x, y = x.to(device), y.to(device)\n" in text


def test_value_goes_home_for_numpy(tmp_path: Path) -> None:
    program = (
        HEAD
        + LOADER
        + (
            "model = nn.Linear(3, 1)\nfor x, y in loader:\n    out = model(x)\n    (out - y).pow(2).mean().backward()\n"
            "    print(out.detach().numpy(), y.numpy())\n"
        )
    )
    text = fixed(tmp_path, program)
    assert "print(out.detach().cpu().numpy(), y.cpu().numpy())" in text


def test_function_asks_its_model(tmp_path: Path) -> None:
    program = (
        HEAD
        + (
            '\n\ndef test(model, loader):\n    """Evaluate."""\n    # first\n    for x, y in loader:\n        model(x)\n\n\n'
        )
        + LOADER
        + 'test(nn.Linear(3, 1).to("cuda" if torch.cuda.is_available() else "cpu"), loader)\n'
    )
    text = fixed(tmp_path, program)
    assert '    """Evaluate."""\n    device = next(model.parameters()).device\n    # first\n' in text
    assert "    for x, y in loader:\n        x = x.to(device)\n        model(x)\n" in text


def test_comment_above_the_first_line_of_a_loop_stays_with_it(tmp_path: Path) -> None:
    program = (
        HEAD
        + FALLBACK
        + LOADER
        + "net = nn.Linear(3, 1).to(device)\nfor x, y in loader:  # batches\n    # forward\n    net(x)\n"
    )
    text = fixed(tmp_path, program)
    assert text.endswith("for x, y in loader:  # batches\n    x = x.to(device)\n    # forward\n    net(x)\n")


def test_loop_in_one_line_moves_where_the_batch_is_used(tmp_path: Path) -> None:
    program = HEAD + FALLBACK + LOADER + "net = nn.Linear(3, 1).to(device)\nfor x, y in loader: net(x)\n"
    assert fixed(tmp_path, program).endswith("for x, y in loader: net(x.to(device))\n")


def test_comprehension_moves_where_the_batch_is_used(tmp_path: Path) -> None:
    program = HEAD + FALLBACK + LOADER + "net = nn.Linear(3, 1).to(device)\nprint([net(x + 1) for x, _ in loader])\n"
    assert "[net((x + 1).to(device)) for x, _ in loader]" in fixed(tmp_path, program)


def test_random_numbers_stay_the_same(tmp_path: Path) -> None:
    program = HEAD + FALLBACK + "net = nn.Linear(3, 1).to(device)\nz = torch.randn(2, 3)\nnet(z)\n"
    assert "z = torch.randn(2, 3).to(device)\n" in fixed(tmp_path, program)


def test_factory_takes_the_device(tmp_path: Path) -> None:
    program = HEAD + FALLBACK + "net = nn.Linear(3, 1).to(device)\nz = torch.zeros(\n    2,\n    3,\n)\nnet(z)\n"
    text = fixed(tmp_path, program)
    compile(text, "program", "exec")
    assert "device=device" in text


def test_line_ends_stay(tmp_path: Path) -> None:
    program = (HEAD + LOADER + "model = nn.Linear(3, 1)\nfor x, y in loader:\n\tmodel(x).mean().backward()\n").replace(
        "\n", "\r\n"
    )
    data = fixed_bytes(tmp_path, program.encode())
    assert data.count(b"\n") == data.count(b"\r\n")
    assert b"for x, y in loader:\r\n\tx = x.to(device)\r\n\tmodel(x)" in data


def test_byte_order_mark_and_encoding_stay(tmp_path: Path) -> None:
    program = "# -*- coding: latin-1 -*-\nimport torch\n\nx = torch.ones(3).cuda()  # für alle\n"
    assert fixed_bytes(tmp_path, program.encode("latin-1")).endswith(
        "x = torch.ones(3).to(device)  # für alle\n".encode("latin-1")
    )
    marked = b"\xef\xbb\xbfimport torch\nx = torch.ones(3).cuda()\n"
    assert fixed_bytes(tmp_path, marked).startswith(b"\xef\xbb\xbfimport torch\n")


def test_missing_newline_at_the_end_stays_missing(tmp_path: Path) -> None:
    assert fixed(tmp_path, HEAD + FALLBACK + "x = torch.ones(3).cuda()").endswith("x = torch.ones(3).to(device)")


def test_guarded_code_is_left_alone(tmp_path: Path) -> None:
    program = HEAD + "net = nn.Linear(3, 1)\nif torch.cuda.is_available():\n    net.cuda()\n"
    assert fixed(tmp_path, program, unsafe=False) == program


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            {"device-style": "accelerator"},
            "device = torch.accelerator.current_accelerator() if torch.accelerator.is_available() "
            'else torch.device("cpu")',
        ),
        ({"device-expression": "mine.get_device()", "device-import": "import mine"}, "device = mine.get_device()"),
    ],
)
def test_device_style(options: dict[str, str], line: str, tmp_path: Path) -> None:
    text = fixed(tmp_path, HEAD + "x = torch.ones(3).cuda()\n", **options)
    assert f"\n{line}\n" in text
    for new in ("import mine",) if "device-import" in options else ():
        assert f"\n{new}\n" in text


TRAINING = (
    HEAD
    + LOADER
    + (
        "model = nn.Linear(3, 1)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for x, y in loader:\n"
        "    loss = nn.functional.mse_loss(model(x), y)\n"
        "    loss.backward()\n"
        "    optimizer.step()\n"
    )
)


@pytest.mark.parametrize("code", ["DVL201", "DVL301"])
def test_half_of_a_move_is_not_safe(tmp_path: Path, code: str) -> None:
    """With the model moved and the batches not, a program that ran stops on a machine with an accelerator."""
    assert fixed(tmp_path, TRAINING, select=(code,)) == TRAINING
    assert ".to(device)" in fixed(tmp_path, TRAINING, select=("DVL201", "DVL301"))


def test_a_suppressed_half_makes_the_other_half_unsafe(tmp_path: Path) -> None:
    program = TRAINING.replace("nn.Linear(3, 1)\n", "nn.Linear(3, 1)  # devlint: ignore[DVL301] kept here\n")
    assert fixed(tmp_path, program) == program


def test_a_loop_in_a_file_that_is_not_checked_makes_the_move_unsafe(tmp_path: Path) -> None:
    head, _, loop = TRAINING.partition("for x, y")
    lines = ("for x, y" + loop).splitlines(keepends=True)
    engine = "from torch import nn\n\n\ndef train(model, optimizer, loader):\n" + "".join(
        "    " + line for line in lines
    )
    (tmp_path / "engine.py").write_text(engine)
    script = tmp_path / "main.py"
    script.write_text(head.replace(HEAD, HEAD + "from engine import train\n") + "train(model, optimizer, loader)\n")
    alone = fix_until_stable(Checker([script], SettingsFinder(isolated=True)))
    assert alone.changed == {}
    both = fix_until_stable(Checker([script, tmp_path / "engine.py"], SettingsFinder(isolated=True)))
    assert len(both.changed) == 2


def test_device_of_a_main_block_is_not_used_in_functions(tmp_path: Path) -> None:
    program = HEAD + (
        "\n\ndef check(net, loader):\n"
        "    for x, y in loader:\n"
        "        print((net(x) - y).sum().item())\n"
        '\n\nif __name__ == "__main__":\n'
        f"    {FALLBACK}"
        f"    {LOADER}"
        "    check(nn.Linear(3, 1).to(device), loader)\n"
    )
    assert "    device = next(net.parameters()).device\n" in fixed(tmp_path, program)


def test_device_of_the_object_is_taken_where_the_files_own_is_of_a_main_block(tmp_path: Path) -> None:
    program = HEAD + (
        "\n\nclass Local:\n"
        "    def __init__(self, loader, device):\n"
        "        self.loader = loader\n"
        "        self.device = device\n"
        "\n    def check(self, net):\n"
        "        for x, y in self.loader:\n"
        "            x = x.to(self.device)\n"
        "            print((net(x) - y).sum().item())\n"
        '\n\nif __name__ == "__main__":\n'
        f"    {FALLBACK}"
        f"    {LOADER}"
        "    Local(loader, device).check(nn.Linear(3, 1).to(device))\n"
    )
    assert "            y = y.to(self.device)\n" in fixed(tmp_path, program)


def test_device_line_stands_where_torch_is_bound(tmp_path: Path) -> None:
    body = "".join("    " + line for line in TRAINING.splitlines(keepends=True))
    result = fixed(tmp_path, f"def main():\n{body}\n\nmain()\n")
    assert result.startswith("def main():\n    import torch\n")
    assert f"TensorDataset\n    {FALLBACK}" in result


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("def f():\n    return device\n", {("f", "device")}),
        ("device = 1\ndef f():\n    return device, len('')\n", set()),
        ("def f():\n    return device\nif __name__ == '__main__':\n    device = 1\n    f()\n", {("f", "device")}),
        ("if __name__ == '__main__':\n    device = 1\n    print([device for _ in '1'])\n", set()),
        ("def f(device):\n    return lambda: device\n", set()),
        ("def f():\n    global device\n    device = 1\ndef g():\n    return device\n", set()),
        ("from x import *\ndef f():\n    return device\n", set()),
        ("class A:\n    size = 3\n    def f(self):\n        return size\n", {("f", "size")}),
        ("print(device)\n", {("top", "device")}),
        ("def f(:\n", set()),
    ],
)
def test_unbound_names(text: str, names: set[tuple[str, str]]) -> None:
    assert unbound_names(text) == names


def test_parentheses_around_parts_of_a_rewritten_call_stay_closed(tmp_path: Path) -> None:
    """The last argument may be a tuple, or have parentheses and comments of its own."""
    program = (
        HEAD + "\n" + FALLBACK + "\nfor c in range(3):\n"
        "    a = torch.ones((4, c)).float().to(device)\n"
        "    b = (torch.ones((4, c)  # rows\n    )).to(device)\n"
        "    print(a, b)\n\nnet = nn.Linear(3, 4)\n"
        'net.load_state_dict(torch.load(("x.pt"  # name\n    )))\n'
        "both = nn.DataParallel((net), device_ids=[0, 1])\n"
    )
    text = fixed(tmp_path, program, unsafe=True)
    assert "a = torch.ones((4, c), device=device).float()\n" in text
    assert "b = (torch.ones((4, c), device=device  # rows\n    ))\n" in text
    assert '("x.pt"  # name\n    ), map_location=device)' in text
    assert "nn.DataParallel((net))" in text


KEPT = (
    HEAD + "model = nn.Linear(2, 1)\nopt = torch.optim.SGD(model.parameters(), lr=0.1)\nmeter = []\n"
    "for _ in range(3):\n    loss = model(torch.ones(4, 2)).mean()\n    opt.zero_grad()\n    loss.backward()\n"
    "    opt.step()\n    meter.append(loss)\n"
)


@pytest.mark.parametrize(
    "read",
    [
        'print(f"{sum(m.item() for m in meter):.5f}")',
        'print(f"{meter[-1].item():.5f}")',
        'print(f"{torch.stack(meter).mean():.5f}")',
        "print(float(sum(m.item() for m in meter)))",
    ],
)
def test_what_is_read_as_tensors_is_kept_as_tensors(read: str, tmp_path: Path) -> None:
    assert "meter.append(loss.detach())" in fixed(tmp_path, KEPT + read + "\n")


@pytest.mark.parametrize("read", ['print(f"{sum(meter) / len(meter):.3f}")', "print(float(meter[-1]))"])
def test_what_is_read_as_numbers_is_kept_as_numbers(read: str, tmp_path: Path) -> None:
    assert "meter.append(loss.item())" in fixed(tmp_path, KEPT + read + "\n")


def test_each_function_names_its_own_device(tmp_path: Path) -> None:
    """One tensor meets the host in `forward` and in the function that runs the model."""
    program = """\
import torch
import torch.nn as nn


class Language(nn.Module):
    def __init__(self, vocab, d=32):
        super().__init__()
        self.src_mask = None
        self.emb = nn.Embedding(vocab, d)
        self.head = nn.Linear(d, vocab)

    def _mask(self, n):
        m = torch.triu(torch.ones(n, n), diagonal=1)
        return m.masked_fill(m == 1, float("-inf")).to(self.emb.weight.device)

    def forward(self, x):
        if self.src_mask is None or self.src_mask.size(0) != x.size(1):
            self.src_mask = self._mask(x.size(1))
        h = self.emb(x)
        h = self.src_mask @ h
        return self.head(h)


def batchify(ids, bsz):
    n = ids.size(0) // bsz
    return ids[: n * bsz].view(bsz, n).contiguous()


def get_batch(source, i, bptt):
    n = min(bptt, source.size(1) - 1 - i)
    return source[:, i:i + n], source[:, i + 1:i + 1 + n]


def main():
    torch.manual_seed(11)
    vocab = 12
    ids = (torch.arange(1200) * 5 + (torch.arange(1200) // 7)) % vocab
    train = batchify(ids[:1000], 10)
    val = batchify(ids[1000:], 4)
    model = Language(vocab)
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for epoch in range(2):
        model.train()
        for i in range(0, train.size(1) - 1, 20):
            x, y = get_batch(train, i, 20)
            logits = model(x)
            loss = criterion(logits.reshape(-1, vocab), y.reshape(-1))
            opt.zero_grad()
            loss.backward()
            opt.step()
        model.eval()
        total = 0.0
        with torch.no_grad():
            for i in range(0, val.size(1) - 1, 20):
                x, y = get_batch(val, i, 20)
                total += criterion(model(x).reshape(-1, vocab), y.reshape(-1)).item() * x.size(1)
        print(f"epoch {epoch}: train {loss.item():.5f} val {total / (val.size(1) - 1):.5f}")


if __name__ == "__main__":
    main()
"""
    text = fixed(tmp_path, program, unsafe=True)
    assert "model = Language(vocab).to(device)" in text
    assert "self" not in text.partition("def main")[2]


TRAINED = (
    HEAD + "model = nn.Linear(4, 2)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    "loader = DataLoader(TensorDataset(torch.randn(8, 4), torch.randint(0, 2, (8,))), batch_size=4)\n"
    "def step(loss):\n    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"
)


def test_scripted_code_is_no_place_for_a_safe_fix(tmp_path: Path) -> None:
    program = (
        "import torch\nfrom torch import nn\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.linear = nn.Linear(4, 2)\n"
        "    def forward(self, x):\n        return self.linear(x) + torch.ones(2)\n"
        "net = torch.jit.script(Net())\noptimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "for _ in range(2):\n    net(torch.ones(3, 4)).sum().backward()\n    optimizer.step()\n"
    )
    assert fixed(tmp_path, program) == program


def test_a_parameter_called_device_may_hold_something_else(tmp_path: Path) -> None:
    program = TRAINED + (
        "def train(device):\n    for x, y in loader:\n"
        "        print(device)\n        step(nn.functional.cross_entropy(model(x), y))\ntrain('phone')\n"
    )
    assert ".to(device)" not in fixed(tmp_path, program).partition("def train")[2]


def test_parts_of_a_batch_come_home_for_functions_of_numpy(tmp_path: Path) -> None:
    program = TRAINED + (
        "import numpy as np\nfor x, y in loader:\n"
        "    step(nn.functional.cross_entropy(model(x), y))\n    print(np.asarray(y).sum())\n"
    )
    assert "np.asarray(y.cpu())" in fixed(tmp_path, program)


def test_data_of_a_parameter_stays_where_the_parameter_is(tmp_path: Path) -> None:
    program = TRAINED + (
        "for x, y in loader:\n    step(nn.functional.cross_entropy(model(x), y))\n"
        "model.weight.data = torch.ones(2, 4)\n"
    )
    assert "model.weight.data = torch.ones(2, 4, device=device)" in fixed(tmp_path, program)


def test_a_hook_is_given_what_the_model_gives(tmp_path: Path) -> None:
    program = TRAINED + (
        "seen = []\nmodel.register_forward_hook(lambda module, given, out: seen.append(out.detach().numpy()))\n"
        "for x, y in loader:\n    step(nn.functional.cross_entropy(model(x), y))\n"
    )
    assert "seen.append(out.detach().cpu().numpy())" in fixed(tmp_path, program)


def test_a_model_that_has_run_before_it_is_bound_is_not_moved_there(tmp_path: Path) -> None:
    program = (
        "import torch\nfrom torch import nn\n"
        "def make():\n    return nn.Linear(3, 1)\n"
        "def fit(model, x, y):\n    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "    nn.functional.mse_loss(model(x), y).backward()\n    optimizer.step()\n    return model\n"
        "for fold in range(2):\n    model = fit(make(), torch.ones(4, 3), torch.ones(4, 1))\n"
        "    print(model(torch.ones(1, 3)).shape)\n"
    )
    text = fixed(tmp_path, program, unsafe=True)
    assert ".to(device).to(device)" not in text
    assert fixed(tmp_path, program) == program


def test_a_dict_that_is_spread_is_not_moved_as_one(tmp_path: Path) -> None:
    program = (
        "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n"
        "device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')\n"
        "rows = [{'x': torch.randn(4), 'y': torch.randn(2)} for _ in range(8)]\n"
        "class Net(nn.Module):\n"
        "    def __init__(self):\n        super().__init__()\n        self.linear = nn.Linear(4, 2)\n"
        "    def forward(self, x, y):\n        return (self.linear(x) - y).pow(2).mean()\n"
        "net = Net().to(device)\n"
        "for batch in DataLoader(rows, batch_size=4):\n    net(**batch).backward()\n"
    )
    assert "**batch.to" not in fixed(tmp_path, program, unsafe=True)


def test_code_behind_an_import_is_no_end_of_the_imports(tmp_path: Path) -> None:
    program = 'import sys; sys.path.append(".")\nimport torch\nx = torch.ones(3).cuda()\n'
    text = fixed(tmp_path, program)
    assert text == 'import sys; sys.path.append(".")\nimport torch\n\n' + FALLBACK + "\nx = torch.ones(3).to(device)\n"


def test_a_file_that_imports_torch_in_its_functions_only_is_left_so(tmp_path: Path) -> None:
    program = "def train():\n    import torch\n    return torch.ones(3).cuda()\n"
    more = "def test():\n    import torch\n    return torch.zeros(3).cuda()\n"
    assert fixed(tmp_path, program) == (
        f"def train():\n    import torch\n    {FALLBACK}    return torch.ones(3).to(device)\n"
    )
    assert fixed(tmp_path, program + more) == program + more


def test_an_embedding_made_of_vectors_is_a_module(tmp_path: Path) -> None:
    program = TRAINED + (
        "embed = nn.Embedding.from_pretrained(torch.ones(3, 4))\n"
        "for x, y in loader:\n    step(nn.functional.cross_entropy(model(embed(x.argmax(1) % 3)), y))\n"
    )
    assert "from_pretrained(torch.ones(3, 4)).to(device)" in fixed(tmp_path, program)


def test_a_named_tuple_is_not_made_a_list(tmp_path: Path) -> None:
    program = (
        "from collections import namedtuple\n" + HEAD + "Pair = namedtuple('Pair', 'x y')\nmodel = nn.Linear(4, 2)\n"
        "for batch in DataLoader([Pair(torch.ones(4), 1)] * 8, batch_size=4):\n"
        "    nn.functional.cross_entropy(model(batch[0]), batch.y).backward()\n"
    )
    assert "for part in batch" not in fixed(tmp_path, program, unsafe=True)


def test_a_model_made_in_the_statement_that_runs_it_is_moved_where_it_is_made(tmp_path: Path) -> None:
    program = (
        HEAD + "class Trainer:\n    def __init__(self, model):\n        self.model = model\n"
        "        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)\n"
        "    def fit(self, loader):\n        for x, y in loader:\n"
        "            nn.functional.mse_loss(self.model(x), y).backward()\n            self.optimizer.step()\n"
        "        return self\n" + LOADER + "trainer = Trainer(nn.Linear(3, 1)).fit(loader)\n"
    )
    assert "Trainer(nn.Linear(3, 1).to(device)).fit(loader)" in fixed(tmp_path, program)


def test_the_parts_of_a_sparse_tensor_are_on_one_device(tmp_path: Path) -> None:
    program = HEAD + (
        "model = nn.Linear(3, 1).cuda()\nedges = torch.tensor([[0, 1], [1, 0]])\nvalues = torch.ones(2).cuda()\n"
        "adjacency = torch.sparse_coo_tensor(edges, values, (2, 2))\nmodel(adjacency @ torch.ones(2, 3).cuda())\n"
    )
    assert "edges = torch.tensor([[0, 1], [1, 0]], device=device)" in fixed(tmp_path, program)


def test_the_device_of_a_model_is_not_asked_of_its_method(tmp_path: Path) -> None:
    program = HEAD + (
        "class Agent(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(3, 1)\n"
        "    def act(self, x):\n        return self.layer(x)\n"
        "def collect(agent: Agent):\n    return agent.act(torch.ones(2, 3))\n"
        "def main():\n    agent = Agent().cuda()\n    print(collect(agent))\nmain()\n"
    )
    text = fixed(tmp_path, program, unsafe=True)
    assert "agent.act.parameters" not in text
    assert "torch.ones(2, 3, device=" in text


def test_a_column_of_samples_has_no_move(tmp_path: Path) -> None:
    program = HEAD + (
        "class Detector(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.layer = nn.Linear(3, 4)\n"
        "    def forward(self, images, targets):\n        out = self.layer(torch.stack(list(images)))\n"
        "        return sum((out - t['boxes']).abs().mean() for t in targets)\n"
        "class Samples(torch.utils.data.Dataset):\n    def __len__(self):\n        return 8\n"
        "    def __getitem__(self, i):\n        return torch.ones(3), {'boxes': torch.ones(4)}\n"
        "def collate(samples):\n    return tuple(zip(*samples))\n"
        "model = Detector()\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for images, targets in DataLoader(Samples(), batch_size=4, collate_fn=collate):\n"
        "    optimizer.zero_grad()\n    model(images, targets).backward()\n    optimizer.step()\n"
    )
    text = fixed(tmp_path, program, unsafe=True)
    assert "targets.to(" not in text
    assert "images.to(" not in text
