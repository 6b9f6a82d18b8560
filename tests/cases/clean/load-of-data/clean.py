import io

import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
held = io.BytesIO()
torch.save({"images": torch.rand(4, 2), "labels": torch.tensor([0, 1, 0, 1])}, held)
held.seek(0)
dataset = torch.load(held)
images, labels = dataset["images"], dataset["labels"]
print(images.to(device).mean().item() >= 0, labels.to(device).sum().item())
