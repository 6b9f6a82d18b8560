import torch

torch.set_default_dtype(torch.float32)
x = torch.FloatTensor([1.0, 2.0]).type(torch.DoubleTensor)
index = torch.LongTensor([1, 0])
print(x[index].type("torch.FloatTensor").sum().item())
