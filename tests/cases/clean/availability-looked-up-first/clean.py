import torch


def accelerator():
    is_available = getattr(torch.cuda, "is_available", None)
    if is_available is not None and is_available():
        return torch.device("cuda")
    check = torch.cuda.is_available
    if callable(check) and check():
        return torch.device("cuda")
    return torch.device("cpu")


HAS_CUDA = torch.cuda.is_available()
print(torch.zeros(3, device=accelerator()).shape, HAS_CUDA is True or HAS_CUDA is False)
print((torch.ones(4, 4, device=accelerator()) @ torch.ones(4, 4, device=accelerator())).sum().item())
