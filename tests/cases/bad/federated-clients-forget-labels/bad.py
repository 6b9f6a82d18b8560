import copy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, TensorDataset


class DatasetSplit(Dataset):
    def __init__(self, dataset, idxs):
        self.dataset = dataset
        self.idxs = list(idxs)

    def __len__(self):
        return len(self.idxs)

    def __getitem__(self, item):
        x, y = self.dataset[self.idxs[item]]
        return x, y


class LocalUpdate(object):
    def __init__(self, dataset, idxs, device):
        self.device = device
        self.loss_func = nn.CrossEntropyLoss()
        self.ldr_train = DataLoader(DatasetSplit(dataset, idxs), batch_size=16, shuffle=True)

    def train(self, net):
        net.train()
        optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
        epoch_loss = []
        for _ in range(2):
            batch_loss = []
            for images, labels in self.ldr_train:
                images = images.to(self.device)
                net.zero_grad()
                log_probs = net(images)
                loss = self.loss_func(log_probs, labels)
                loss.backward()
                optimizer.step()
                batch_loss.append(loss.item())
            epoch_loss.append(sum(batch_loss) / len(batch_loss))
        return net.state_dict(), sum(epoch_loss) / len(epoch_loss)


def fed_avg(ws):
    avg = copy.deepcopy(ws[0])
    for k in avg.keys():
        for w in ws[1:]:
            avg[k] += w[k]
        avg[k] = torch.div(avg[k], len(ws))
    return avg


def test_img(net_g, dataset, device):
    net_g.eval()
    correct = 0
    for data, target in DataLoader(dataset, batch_size=50):
        log_probs = net_g(data)
        y_pred = log_probs.data.max(1, keepdim=True)[1]
        correct += y_pred.eq(target.data.view_as(y_pred)).long().cpu().sum()
    return 100.0 * correct / len(dataset)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda:{}".format(0) if torch.cuda.is_available() else "cpu")
    x = torch.randn(200, 10)
    dataset = TensorDataset(x, (x[:, 0] + x[:, 1] > 0).long())
    net_glob = nn.Sequential(nn.Linear(10, 12), nn.ReLU(), nn.Linear(12, 2)).to(device)
    w_glob = net_glob.state_dict()
    for it in range(3):
        w_locals, losses = [], []
        for user in range(4):
            local = LocalUpdate(dataset, range(user * 50, user * 50 + 50), device)
            w, loss = local.train(net=copy.deepcopy(net_glob).to(device))
            w_locals.append(copy.deepcopy(w))
            losses.append(loss)
        w_glob = fed_avg(w_locals)
        net_glob.load_state_dict(w_glob)
        print(f"round {it}: {sum(losses) / len(losses):.4f} {test_img(net_glob, dataset, device).item():.2f}")
