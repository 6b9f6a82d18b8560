"""`torch.distributions`: a distribution lives where its parameters live, and so does all that it gives.

torch makes one of parameters on two devices without a word, and raises when it is sampled or asked for a
probability; 0-dim parameters are no exception, for they are expanded first. Seen with fake tensors of torch 2.13.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.factories import made
from devlint.analysis.values import UNKNOWN_VALUE, Batch, Const, Distribution, Method, Source, Tensor, Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from devlint.analysis.calls import Arguments
    from devlint.analysis.interpreter import Interpreter

SPACE = "torch.distributions."
_PARTS = frozenset("constraints constraint_registry transforms kl utils exp_family".split())
_SAMPLES = frozenset("sample rsample sample_n".split())
_OF_VALUE = frozenset("log_prob cdf icdf".split())
_WRAPPERS = frozenset("expand entropy perplexity enumerate_support".split())
_TENSORS = frozenset(
    "mean mode variance stddev loc scale probs logits concentration concentration0 concentration1 rate low high "
    "df covariance_matrix scale_tril precision_matrix".split()
)


def call_distributions(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """A class of `torch.distributions`, or `kl_divergence`."""
    parts = name.removeprefix(SPACE).split(".")
    last = parts[-1]
    if last == "kl_divergence":
        operands = _operands(arguments)
        if len(operands) < 2 or not all(isinstance(a.value, Distribution) for a in arguments):
            return UNKNOWN_VALUE
        return _operated(run, node, operands)
    if not last[:1].isupper() or parts[0] in _PARTS or last.endswith("Transform"):
        return UNKNOWN_VALUE
    operands = _operands(arguments)
    if operands:
        tensor = _operated(run, node, operands)
        return Distribution(tensor) if isinstance(tensor, Tensor) else UNKNOWN_VALUE
    if arguments and all(_is_number(argument.value) for argument in arguments):
        return Distribution(None)
    return UNKNOWN_VALUE


def method_of_distribution(
    run: Interpreter, receiver: Distribution, name: str, node: cst.CSTNode, arguments: Arguments
) -> Value:
    """A method of a distribution."""
    if receiver.parameters is None:
        return _drawn_from_numbers(run, name, node, arguments)
    here = replace(receiver.parameters, parameter=False, of=None, moved_from=None)
    if name in _SAMPLES:
        return replace(here, zero_dim=None, grad=here.grad and name == "rsample")
    if name in _OF_VALUE and isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        values = _operands(arguments)
        if not values:
            return replace(here, zero_dim=None)
        return _operated(run, node, [(node.func.value, here), *values])
    if name == "expand":
        return receiver
    if name in _WRAPPERS:
        return replace(here, zero_dim=None)
    return UNKNOWN_VALUE


def attribute_of_distribution(owner: Distribution, name: str, node: cst.CSTNode) -> Value:
    """A parameter or a moment of a distribution is where its parameters are; all else is a method."""
    if name in _TENSORS:
        return replace(owner.parameters, parameter=False, of=None) if owner.parameters is not None else UNKNOWN_VALUE
    return Method(owner, name, node)


def _operands(arguments: Arguments) -> list[tuple[cst.BaseExpression, Value]]:
    found: list[tuple[cst.BaseExpression, Value]] = []
    for argument in arguments:
        match argument.value:
            case Tensor() | Batch():
                found.append((argument.node, argument.value))
            case Distribution(parameters=Tensor() as tensor):
                found.append((argument.node, tensor))
    return found


def _operated(run: Interpreter, node: cst.CSTNode, operands: Sequence[tuple[cst.BaseExpression, Value]]) -> Value:
    from devlint.analysis.expressions import operate

    value = operate(run, node, operands, strict=True)
    return replace(value, zero_dim=None) if isinstance(value, Tensor) else value


def _is_number(value: Value) -> bool:
    return isinstance(value, Const) and type(value.value) in (int, float)


def _drawn_from_numbers(run: Interpreter, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    """`Normal(0.0, 1.0).sample(shape)`, in one expression: made on the host, or on the default device.

    A distribution of numbers that has a name may have been given other parameters since (`self.noise.loc = ...cuda()`).
    """
    made_here = (
        isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and isinstance(node.func.value, cst.Call)
    )
    if name not in _SAMPLES or not made_here:
        return UNKNOWN_VALUE
    shape = arguments[0].node if arguments else None
    sized = isinstance(shape, cst.Tuple | cst.List) and bool(shape.elements)
    return made(run, node, Source.FACTORY, not sized if sized or shape is None else None)
