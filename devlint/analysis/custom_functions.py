"""Functions with a backward pass of their own: `class Scale(torch.autograd.Function)`, called by `Scale.apply(x)`.

https://docs.pytorch.org/docs/stable/notes/extending.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from devlint.analysis.calls import Argument, Arguments, call_function, gradients_of
from devlint.analysis.frame import ClassInfo
from devlint.analysis.values import (
    UNKNOWN_VALUE,
    Batch,
    External,
    Function,
    Instance,
    Items,
    Tensor,
    Value,
    join_all,
)

if TYPE_CHECKING:
    from devlint.analysis.interpreter import Interpreter

_BASES = frozenset({"torch.autograd.Function", "torch.autograd.function.Function"})


def is_custom_function(info: ClassInfo) -> bool:
    return any(isinstance(base, External) and base.name in _BASES for one in info.lineage() for base in one.bases)


def apply_custom(run: Interpreter, info: ClassInfo, node: cst.CSTNode, arguments: Arguments) -> Value:
    """Run `forward`, then `backward` with a gradient that is where the result is: both see what `ctx` has kept."""
    if (forward := info.method("forward")) is None:
        return UNKNOWN_VALUE
    context = Argument(run.new_object(node, cls=info), cst.Name("ctx"))
    apart = info.method("setup_context")
    given = arguments if apart is not None else [context, *arguments]
    result = _call(run, info, forward.name, node, given)
    if apart is not None:
        inputs = tuple(argument.value for argument in arguments)
        handed = (Items(join_all(inputs), inputs), result)
        _call(run, info, apart.name, node, [context, *(Argument(value, cst.Name("given")) for value in handed)])
    outputs = result.items or () if isinstance(result, Items) else (result,)
    gradients = [
        Argument(gradients_of(output), cst.Name("grad")) for output in outputs if isinstance(output, Tensor | Batch)
    ]
    if gradients:
        _call(run, info, "backward", node, [context, *gradients])
    return result


def _call(run: Interpreter, info: ClassInfo, name: str, node: cst.CSTNode, arguments: Arguments) -> Value:
    method = info.method(name)
    if method is None:
        return UNKNOWN_VALUE
    return call_function(run, Function(method, run.modules.get(method.file) or info.frame), node, arguments)


def kept_by_context(run: Interpreter, context: Instance, name: str, arguments: Arguments) -> bool:
    """`ctx.save_for_backward(x, y)`: `ctx.saved_tensors` gives them back. False where it is another method."""
    if name != "save_for_backward":
        return False
    saved = tuple(argument.value for argument in arguments)
    if not any(argument.star for argument in arguments):
        for key in ("saved_tensors", "saved_variables"):
            run.set_attribute(context.ref, key, Items(join_all(saved), saved))
    return True
