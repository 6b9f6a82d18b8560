import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
logits = torch.ones(4, 4, device=device, dtype=torch.float64)
mask = torch.ones(4, 4).bool().to(device)
weights = torch.rand(4, 4).type_as(logits)
same = torch.rand(4, 4, device=device).type(logits.type())
print((logits @ weights * mask.type(logits.dtype) + same).shape)
