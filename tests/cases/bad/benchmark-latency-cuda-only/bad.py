import time

import numpy as np
import torch
import torch.nn as nn


def build():
    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2), nn.Flatten())


def measure(model, x, repeats=10, warmup=3):
    times = []
    with torch.no_grad():
        for i in range(warmup + repeats):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            model(x)
            torch.cuda.synchronize()
            if i >= warmup:
                times.append(time.perf_counter() - begin)
    return 1000 * np.array(times)


def main():
    model = build().eval().cuda()
    for batch in (1, 4):
        x = torch.rand(batch, 3, 32, 32).cuda()
        ms = measure(model, x)
        print(f"batch {batch}: {ms.mean():.2f} ms +- {ms.std():.2f}")


if __name__ == "__main__":
    main()
