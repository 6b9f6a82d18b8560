"""Hidden state, mask, positions or noise left on the host

## What it finds

A tensor that a model needs beside its input, and that is made on the host each time it runs: the first hidden state of
a recurrent network, an attention mask, positions, noise. It is made in a method of a module, given to a layer as its
mask, or drawn in a loop and fed to a model that is on a device.

## Why it matters

What is made in a `forward` does not follow the module: on a GPU machine

    RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!

For a recurrent layer it reads "Input and hidden tensors are not at the same device".

## Example

```python
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 8, batch_first=True)
        self.out = nn.Linear(8, 3)

    def forward(self, words):
        state = torch.zeros(1, words.size(0), 8)
        hidden, state = self.rnn(words, state)
        return self.out(hidden)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger().to(device)
print(tagger(torch.ones(2, 5, 4, device=device)).shape)
```

## Use instead

```python
import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 8, batch_first=True)
        self.out = nn.Linear(8, 3)

    def forward(self, words):
        state = torch.zeros(1, words.size(0), 8, device=words.device)
        hidden, state = self.rnn(words, state)
        return self.out(hidden)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
tagger = Tagger().to(device)
print(tagger(torch.ones(2, 5, 4, device=device)).shape)
```

A tensor that is the same for every run is better kept as a buffer, which moves with the module.

## When this is not a bug

Where it stays on the host on purpose: as a number, as an index, as something that is printed. It then meets no device,
and the rule is silent. A 0-dimensional tensor may stay on the host where it is combined element by element.

## Fix safety

Random tensors are drawn on the host as before and then moved, so that a seed gives the same numbers.

## References

- https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.register_buffer
- https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html
"""

from __future__ import annotations

from collections.abc import Iterator

from devlint.analysis.facts import TensorOnHost
from devlint.analysis.loss_weights import weighs_a_loss
from devlint.analysis.model_states import belongs_to_a_model, names_of
from devlint.analysis.parsed import Spot
from devlint.consequences import IDLE, MISMATCH
from devlint.context import Context
from devlint.finding import Finding, Severity
from devlint.rule import Rule

RULE = Rule("DVL208", "host-state-for-rnn-or-mask", severity=Severity.ERROR, since="0.1")


@RULE.on(TensorOnHost)
def state_left_on_host(tensor: TensorOnHost, ctx: Context) -> Iterator[Finding]:
    if not belongs_to_a_model(tensor) or weighs_a_loss(tensor):
        return
    names = names_of(tensor)
    certain = tensor.device is not None
    left = "in the module, on the host, and stays" if tensor.origin.in_module else "for the model on the host and left"
    yield ctx.finding(
        RULE,
        tensor.origin.spot,
        f"{names or 'a tensor'} is made {left} there",
        severity=None if certain else Severity.WARNING,
        label="made on the host here",
        related=[
            *(
                (
                    Spot(one.site.spot.file, one.operand),
                    "meets the device here" if certain else "meets what the module computes here",
                )
                for one in tensor.meets
            ),
            *((call, "called here") for call in tensor.meets[0].site.calls[:2]),
            (tensor.origin.call, "made by this call"),
        ],
        consequence=MISMATCH if certain else IDLE,
        fix=ctx.plan.move_tensors(tensor),
    )
