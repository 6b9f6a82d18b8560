"""The tables of torch's device behaviour, asked of torch itself: fake tensors know where the result of an op lives."""

from __future__ import annotations

from collections.abc import Callable

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402

from devlint.analysis import torch_table as table  # noqa: E402

ARGUMENTS: dict[str, tuple[object, ...]] = {
    "full": ((2,), 1.0),
    "randint": (5, (2,)),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
    "range": (0, 3),
    "empty_strided": ((2, 2), (2, 1)),
    "tril_indices": (3, 3),
    "triu_indices": (3, 3),
    "scalar_tensor": (1.0,),
    "arange": (3,),
    "eye": (3,),
    "randperm": (4,),
}
NOT_FAKED = {"range", *(name for name in table.FACTORIES if name.startswith("sparse_"))}
"""Factories that a CPU build cannot fake on "cuda"."""
LIKE_ARGUMENTS: dict[str, tuple[object, ...]] = {"full_like": (1.0,), "randint_like": (5,)}
NEW_ARGUMENTS: dict[str, tuple[object, ...]] = {
    "new": (2,),
    "new_tensor": ([1.0],),
    "new_full": ((2,), 1.0),
    "new_empty_strided": ((2, 2), (2, 1)),
}


@pytest.fixture
def fake() -> object:
    with FakeTensorMode():
        yield


@pytest.mark.parametrize("name", sorted(table.FACTORIES - NOT_FAKED))
def test_factory_makes_a_host_tensor_unless_told(name: str, fake: object) -> None:
    arguments = ARGUMENTS.get(name, (3,))
    make: Callable[..., torch.Tensor] = getattr(torch, name)
    assert make(*arguments).device.type == "cpu"
    assert make(*arguments, device="cuda").device.type == "cuda"


@pytest.mark.parametrize("name", sorted(table.LIKE))
def test_like_follows_its_argument(name: str, fake: object) -> None:
    make: Callable[..., torch.Tensor] = getattr(torch, name)
    on_device = torch.ones(3, device="cuda")
    arguments = LIKE_ARGUMENTS.get(name, ())
    assert make(on_device, *arguments).device.type == "cuda"
    assert make(on_device, *arguments, device="cpu").device.type == "cpu"


@pytest.mark.parametrize("name", sorted(table.NEW - {"new_tensor", "new"}))
def test_new_follows_its_tensor(name: str, fake: object) -> None:
    made = getattr(torch.ones(3, device="cuda"), name)(*NEW_ARGUMENTS.get(name, ((2,),)))
    assert made.device.type == "cuda"


BINARY = sorted(
    "add sub mul div maximum minimum fmax fmin pow remainder fmod atan2 eq ne lt le gt ge true_divide".split()
)


@pytest.mark.parametrize("name", BINARY)
def test_mixing_raises_and_a_scalar_on_the_host_does_not(name: str, fake: object) -> None:
    assert name in table.MIXING
    op: Callable[..., torch.Tensor] = getattr(torch, name)
    on_device, on_host = torch.ones(3, device="cuda"), torch.ones(3)
    with pytest.raises(RuntimeError):
        op(on_device, on_host)
    assert op(on_device, torch.ones(())).device.type == "cuda"
    assert op(on_device, on_device).device.type == "cuda"


@pytest.mark.parametrize(
    "name", sorted(table.ZERO_DIM_REDUCTIONS & {"sum", "mean", "prod", "max", "min", "any", "all", "argmax", "std"})
)
def test_reductions_without_a_dimension_give_one_number(name: str, fake: object) -> None:
    values = torch.ones(2, 3, device="cuda")
    assert getattr(values, name)().dim() == 0


@pytest.mark.parametrize("name", sorted(table.STATELESS - {"MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"}))
def test_stateless_modules_hold_nothing(name: str) -> None:
    cls = getattr(torch.nn, name)
    for arguments in ((), (2,), (2, 1.0), (0, 1), (0, (2, 2)), ((2, 2), 2), (2, (1, 1))):
        try:
            module = cls(*arguments)
        except (TypeError, ValueError, AssertionError):
            continue
        assert not list(module.parameters())
        assert not list(module.buffers())
        return
    pytest.fail(f"no arguments found that make a {name}")


@pytest.mark.parametrize("name", sorted(table.LOSS_FUNCTIONS))
def test_loss_functions_exist(name: str) -> None:
    assert callable(getattr(torch.nn.functional, name))


def test_integer_results_carry_no_gradient() -> None:
    values = torch.ones(2, 3, requires_grad=True)
    for name in table.INTEGER_RESULTS & {
        "argmax",
        "argmin",
        "argsort",
        "isnan",
        "isinf",
        "nonzero",
        "logical_not",
        "long",
        "int",
        "bool",
    }:
        assert not getattr(values, name)().requires_grad
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        assert not getattr(values, name)(0.5).requires_grad


DISTRIBUTIONS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.distributions.Distribution]] = {
    "Normal": lambda a, b: torch.distributions.Normal(a, b, validate_args=False),
    "LogNormal": lambda a, b: torch.distributions.LogNormal(a, b, validate_args=False),
    "Uniform": lambda a, b: torch.distributions.Uniform(a, b + 2, validate_args=False),
    "MultivariateNormal": lambda a, b: torch.distributions.MultivariateNormal(
        a, torch.diag_embed(b), validate_args=False
    ),
    "Independent": lambda a, b: torch.distributions.Independent(
        torch.distributions.Normal(a, b, validate_args=False), 1, validate_args=False
    ),
}


@pytest.mark.parametrize("name", sorted(DISTRIBUTIONS))
def test_distribution_gives_tensors_where_its_parameters_are(name: str, fake: object) -> None:
    """And raises where they are apart, at the latest when it is asked for a probability.

    A CPU build cannot fake Laplace, Gamma and Beta on "cuda".
    """
    from torch._subclasses.fake_tensor import FakeTensorDeviceMismatchError

    make = DISTRIBUTIONS[name]
    there, here = torch.ones(4, 3, device="cuda"), torch.ones(4, 3)
    together = make(there, there)
    assert together.sample().device.type == "cuda"
    assert together.mean.device.type == "cuda"
    assert together.log_prob(there).device.type == "cuda"
    with pytest.raises(FakeTensorDeviceMismatchError):
        together.log_prob(here)
    with pytest.raises(FakeTensorDeviceMismatchError):
        apart = make(there, here)
        apart.log_prob(there)


def test_categorical_gives_tensors_where_its_logits_are(fake: object) -> None:
    chosen = torch.distributions.Categorical(logits=torch.ones(4, 3, device="cuda"), validate_args=False)
    assert chosen.sample().device.type == "cuda"
    assert chosen.entropy().device.type == "cuda"
