import copy

import torch
from torch import nn
from torch.func import functional_call, grad, stack_module_state, vmap

torch.manual_seed(0)
X, Y = torch.randn(60, 1), torch.randn(60, 1)
single = nn.Linear(1, 1)
optimizer = torch.optim.SGD(single.parameters(), lr=0.1)
nn.functional.mse_loss(single(X), Y).backward()
optimizer.step()

models = [nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1)) for _ in range(4)]
params, buffers = stack_module_state(models)
base = copy.deepcopy(models[0])


def loss_of(p, b, x, y):
    return ((functional_call(base, (p, b), (x,)) - y) ** 2).mean()


gradients = vmap(grad(loss_of), in_dims=(0, 0, 0, 0))
for _ in range(3):
    rows = torch.randint(60, (4, 16))
    g = gradients(params, buffers, X[rows], Y[rows])
    params = {name: (value - 0.1 * g[name]).detach() for name, value in params.items()}
grid = torch.linspace(-2, 2, 9).unsqueeze(1)
spread = vmap(lambda p, b: functional_call(base, (p, b), (grid,)))(params, buffers).std(0)
print(f"{spread.mean().item():.4f}")
