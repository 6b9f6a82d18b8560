import torch
import torch.nn as nn


class Solver(object):
    def __init__(self, dim=6, classes=3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = nn.Linear(dim, classes).to(self.device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.dim, self.classes = dim, classes

    def next_batch(self, n=8):
        x = torch.randn(n, self.dim)
        y = torch.randint(0, self.classes, (n,))
        x = x.type(torch.cuda.FloatTensor)

        y = y.type("torch.cuda.LongTensor")
        return x, y

    def train(self, iterations):
        for i in range(iterations):
            x, y = self.next_batch()
            loss = nn.functional.cross_entropy(self.net(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    print(Solver().train(5))
