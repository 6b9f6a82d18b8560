import argparse

import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, latent, side):
        super().__init__()
        self.side = side
        self.net = nn.Sequential(nn.Linear(latent, 48), nn.SiLU(), nn.Linear(48, 3 * side * side), nn.Sigmoid())

    def forward(self, z):
        return self.net(z).view(-1, 3, self.side, self.side)


@torch.no_grad()
def sample(decoder, n, seed, device):
    generator = torch.Generator(device=device)
    generator.manual_seed(seed)
    z = torch.randn(n, 16, generator=generator, device=device)
    return decoder(z)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=42)
    parser.add_argument("--num-images", type=int, default=4)
    parser.add_argument("--device", type=str, default=None)
    return parser.parse_args()


def main():
    args = parse_args()
    device = args.device or ("cuda" if torch.cuda.is_available() else "cpu")
    decoder = Decoder(16, 8).eval().to(device)
    images = sample(decoder, args.num_images, args.seed, device)
    grid = images.mul(255).clamp(0, 255).byte().permute(0, 2, 3, 1).cpu().numpy()
    print(grid.shape, grid.dtype)


if __name__ == "__main__":
    main()
