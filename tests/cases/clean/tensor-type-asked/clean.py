import torch

HOST_TYPES = {"torch.FloatTensor": torch.float32, "torch.LongTensor": torch.int64}


def on_card(x):
    return isinstance(x, (torch.cuda.FloatTensor, torch.cuda.HalfTensor)) or x.type().startswith("torch.cuda")


def dtype_of(name):
    return HOST_TYPES[name.replace("torch.cuda.", "torch.")]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.ones(3, device=device)
print(on_card(x) == x.is_cuda, dtype_of("torch.cuda.LongTensor"))
print((torch.ones(8, 8, device=device) @ torch.ones(8, 8, device=device)).sum().item())
