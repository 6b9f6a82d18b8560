import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
moved = torch.ones(3, requires_grad=True).to(device)
moved.retain_grad()
(moved * torch.arange(3.0, device=device)).sum().backward()
print(moved.grad.shape)

fresh = torch.rand(3, requires_grad=True).to(device).detach().requires_grad_()
(fresh * 2).sum().backward()
print(fresh.grad.shape)
