import torch


def to_default_type(x, cuda):
    if cuda:
        return x.type(torch.cuda.FloatTensor)
    return x.type(torch.FloatTensor)


use_cuda = torch.cuda.is_available()
x = to_default_type(torch.ones(4, 4), use_cuda)
print((x @ x).sum().item())
