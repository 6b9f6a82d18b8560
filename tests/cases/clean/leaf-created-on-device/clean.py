import torch
import torch.nn as nn


def gram(features):
    flat = features.flatten(2)
    return flat @ flat.transpose(1, 2) / flat.size(2)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cnn = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1)).to(device).eval()
for p in cnn.parameters():
    p.requires_grad_(False)
content = torch.rand(1, 3, 12, 12).to(device)
style = torch.rand(1, 3, 12, 12).to(device)
picture = content.clone().requires_grad_(True)
gain = nn.Parameter(torch.ones(1).to(device))
optimizer = torch.optim.Adam([picture, gain], lr=0.02)
target_content, target_style = cnn(content), gram(cnn(style))
for step in range(5):
    features = cnn(picture)
    loss = (features - target_content).pow(2).mean() + gain * (gram(features) - target_style).pow(2).mean()
    optimizer.zero_grad()
    loss.sum().backward()
    optimizer.step()
    with torch.no_grad():
        picture.clamp_(0, 1)
print(loss.item(), picture.detach().cpu().numpy().shape)
