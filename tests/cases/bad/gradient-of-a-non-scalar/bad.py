import torch
from torch import nn
torch.manual_seed(0)

net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(torch.ones(8, 2), 4):
    x.requires_grad_(True)
    out = net(x)
    g = torch.autograd.grad(out, x, grad_outputs=torch.ones(out.size()), create_graph=True)[0]
    loss = out.mean() + g.norm()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
