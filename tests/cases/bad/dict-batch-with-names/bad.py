import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
rows = [{"x": torch.randn(3), "y": torch.randn(1), "id": str(i)} for i in range(16)]
loader = DataLoader(rows, batch_size=4)
model = nn.Linear(3, 1).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in loader:
    loss = ((model(batch["x"]) - batch["y"]) ** 2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    print(batch["id"], "%.4f" % loss.item())
