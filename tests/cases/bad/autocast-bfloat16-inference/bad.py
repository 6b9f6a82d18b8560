import torch
from torch import nn


class Predictor:
    def __init__(self, device):
        self.device = torch.device(device)
        self.model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.Flatten(), nn.LazyLinear(2)).to(self.device).eval()

    @torch.no_grad()
    def predict(self, image):
        with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
            scores = self.model(image.to(self.device))
        return scores.float().argmax(1).tolist()


predictor = Predictor("cuda" if torch.cuda.is_available() else "cpu")
print(len(predictor.predict(torch.randn(2, 1, 8, 8))))
