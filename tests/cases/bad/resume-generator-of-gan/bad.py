import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def generator():
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))


old = generator().to(device)
old_optimizer = torch.optim.RMSprop(old.parameters(), lr=1e-3)
old(torch.randn(3, 4, device=device)).mean().backward()
old_optimizer.step()

gen = generator()
gen_optimizer = torch.optim.RMSprop(gen.parameters(), lr=1e-3)
gen.load_state_dict(old.state_dict())
gen_optimizer.load_state_dict(old_optimizer.state_dict())
gen = gen.to(device)
for _ in range(2):
    loss = gen(torch.randn(3, 4, device=device)).pow(2).mean()
    gen_optimizer.zero_grad()
    loss.backward()
    gen_optimizer.step()
print(loss.item() >= 0)
