import io

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make():
    model = nn.Linear(4, 2)
    return model, torch.optim.Adam(model.parameters(), lr=1e-3)


def optimizer_to(optimizer, device):
    for state in optimizer.state.values():
        for key, value in state.items():
            if torch.is_tensor(value) and key != "step":
                state[key] = value.to(device)


def step(model, optimizer):
    x = torch.randn(8, 4, device=device)
    loss = model(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


model, optimizer = make()
model.to(device)
step(model, optimizer)
blob = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, blob)
blob.seek(0)

model, optimizer = make()
state = torch.load(blob, map_location="cpu")
model.load_state_dict(state["model"])
optimizer.load_state_dict(state["optimizer"])
model.to(device)
optimizer_to(optimizer, device)
print(step(model, optimizer))
