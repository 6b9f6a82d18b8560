import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
total = torch.zeros(1)
for i in range(2):
    total += torch.ones(1, device=device)
print(total.shape)
