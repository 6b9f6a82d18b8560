import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

device = "cpu"
torch.set_num_threads(1)


def make_individual():
    return nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 1)).to(device)


def fitness(net, loader):
    with torch.no_grad():
        return -np.mean([(net(x) - y).pow(2).mean().item() for x, y in loader])


def mutate(parent, sigma):
    child = make_individual()
    child.load_state_dict(parent.state_dict())
    with torch.no_grad():
        for p in child.parameters():
            p.add_(sigma * torch.randn_like(p))
    return child


x = torch.randn(40, 3)
loader = DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=20)
population = [make_individual() for _ in range(4)]
for generation in range(3):
    population.sort(key=lambda net: fitness(net, loader), reverse=True)
    population = population[:2] + [mutate(net, 0.1) for net in population[:2]]
print(fitness(population[0], loader))
