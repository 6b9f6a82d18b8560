import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
properties = torch.cuda.get_device_properties(0)
print(f"using {torch.cuda.get_device_name(0)}")
x = torch.randn(16, 16, device=device)
print((x @ x).shape, properties.total_memory > 0)
