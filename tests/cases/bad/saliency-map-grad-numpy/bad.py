import numpy as np
import torch
import torch.nn as nn


def get_classifier(device):
    net = nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveMaxPool2d(4),
        nn.Flatten(),
        nn.Linear(96, 10),
    )
    return net.eval().to(device)


def preprocess(image):
    tensor = torch.from_numpy(image.astype(np.float32) / 255.0).permute(2, 0, 1)
    return tensor.unsqueeze(0)


def saliency(net, image, device):
    x = preprocess(image).to(device)
    x.requires_grad_()
    scores = net(x)
    scores[0, scores.argmax()].backward()
    heat, _ = x.grad.abs().max(dim=1)
    heat = heat.squeeze(0)
    return heat.numpy()


def normalise(array):
    low, high = array.min(), array.max()
    return (array - low) / (high - low + 1e-12)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    picture = np.random.randint(0, 256, size=(24, 24, 3), dtype=np.uint8)
    heatmap = normalise(saliency(get_classifier(device), picture, device))
    print(heatmap.shape, float(heatmap.mean()))
