import unittest

import torch
import torch.nn as nn
import torch.nn.functional as F


class SqueezeExcite(nn.Module):
    def __init__(self, channels, reduction=2):
        super().__init__()
        self.fc1 = nn.Conv2d(channels, channels // reduction, 1)
        self.fc2 = nn.Conv2d(channels // reduction, channels, 1)

    def forward(self, x):
        scale = F.adaptive_avg_pool2d(x, 1)
        return x * torch.sigmoid(self.fc2(F.relu(self.fc1(scale))))


class SqueezeExciteTest(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.layer = SqueezeExcite(4)

    def test_shape(self):
        x = torch.randn(2, 4, 5, 5)
        self.assertEqual(self.layer(x).shape, x.shape)

    def test_gradient(self):
        x = torch.randn(1, 4, 3, 3, requires_grad=True)
        self.layer(x).sum().backward()
        self.assertIsNotNone(x.grad)

    def test_scale_is_bounded(self):
        x = torch.rand(2, 4, 4, 4)
        self.assertTrue(torch.all(self.layer(x) <= x))


if __name__ == "__main__":
    unittest.main(argv=["test"], verbosity=0)
