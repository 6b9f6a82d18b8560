#!/usr/bin/env python
# coding: utf-8

# # Week 3 lab: classifying (fake) handwritten digits with a small CNN
#
# MNIST takes too long to download in class so we make our own digits from a
# 5x7 font, shift them around and add noise.

# In[1]:

import os
import random
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.utils.data import TensorDataset, DataLoader, random_split

SEED = 1234
random.seed(SEED)
np.random.seed(SEED)
torch.manual_seed(SEED)

# ## 1. Make the data

# In[2]:

FONT = [
    "01110 10001 10011 10101 11001 10001 01110",
    "00100 01100 00100 00100 00100 00100 01110",
    "01110 10001 00001 00010 00100 01000 11111",
    "11111 00010 00100 00010 00001 10001 01110",
    "00010 00110 01010 10010 11111 00010 00010",
    "11111 10000 11110 00001 00001 10001 01110",
    "00110 01000 10000 11110 10001 10001 01110",
    "11111 00001 00010 00100 01000 01000 01000",
    "01110 10001 10001 01110 10001 10001 01110",
    "01110 10001 10001 01111 00001 00010 01100",
]
glyphs = np.array([[[int(c) for c in row] for row in g.split()] for g in FONT],
                  dtype=np.float32)
print(glyphs.shape)

# In[3]:

N = 2200
X = np.zeros((N, 1, 14, 14), dtype=np.float32)
y = np.random.randint(0, 10, size=N)
for i in range(N):
    g = glyphs[y[i]]
    if random.random() < 0.5:
        g = np.kron(g, np.ones((1, 2), dtype=np.float32))   # fat digit
    h, w = g.shape
    r = random.randint(0, 14 - h)
    c = random.randint(0, 14 - w)
    X[i, 0, r:r + h, c:c + w] = g * np.random.uniform(0.6, 1.0)
X += np.random.normal(0, 0.25, size=X.shape).astype(np.float32)
X = np.clip(X, 0, 1)

mean, std = X.mean(), X.std()
X = (X - mean) / std

print("mean %.4f std %.4f" % (mean, std))

# In[4]:

dataset = TensorDataset(torch.from_numpy(X), torch.from_numpy(y).long())
train_set, val_set, test_set = random_split(dataset, [1600, 300, 300])

train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
val_loader = DataLoader(val_set, batch_size=128)
test_loader = DataLoader(test_set, batch_size=128)

images, labels = next(iter(train_loader))
print(images.shape, labels.shape, images.dtype, labels.dtype)

# what does one look like?

# In[5]:

for row in images[0, 0].numpy():
    print("".join("#" if v > 1 else "." for v in row))
print("label:", labels[0].item())

# ## 2. The network

# In[6]:


class Net(nn.Module):
    def __init__(self):
        super(Net, self).__init__()
        self.conv1 = nn.Conv2d(1, 12, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(12)
        self.conv2 = nn.Conv2d(12, 24, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(24)
        self.drop = nn.Dropout(0.25)
        self.fc1 = nn.Linear(24 * 3 * 3, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = x.view(-1, 24 * 3 * 3)
        x = self.drop(F.relu(self.fc1(x)))
        return self.fc2(x)


net = Net()
print(net)
print("parameters:", sum(p.numel() for p in net.parameters()))

# In[7]:

criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=3, gamma=0.5)

# ## 3. Train

# In[8]:

tmpdir = tempfile.TemporaryDirectory()
PATH = os.path.join(tmpdir.name, "digits_net.pth")

train_losses = []
val_losses = []
val_accs = []
best_acc = 0.0

for epoch in range(6):
    net.train()
    running_loss = 0.0
    for i, data in enumerate(train_loader, 0):
        inputs, labels = data
        optimizer.zero_grad()
        outputs = net(inputs)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()

        running_loss += loss.item()
        train_losses.append(loss.item())
        if i % 10 == 9:
            print('[%d, %5d] loss: %.3f' % (epoch + 1, i + 1, running_loss / 10))
            running_loss = 0.0

    net.eval()
    correct = 0
    total = 0
    val_loss = 0.0
    with torch.no_grad():
        for inputs, labels in val_loader:
            outputs = net(inputs)
            val_loss += criterion(outputs, labels).item() * labels.size(0)
            _, predicted = torch.max(outputs.data, 1)
            total += labels.size(0)
            correct += (predicted == labels).sum().item()
    val_losses.append(val_loss / total)
    val_accs.append(correct / total)
    scheduler.step()
    print('epoch %d  val loss %.4f  val acc %.3f' % (epoch + 1, val_losses[-1], val_accs[-1]))
    if val_accs[-1] > best_acc:
        best_acc = val_accs[-1]
        torch.save(net.state_dict(), PATH)

print('Finished Training')

# In[9]:

# moving average of the training loss (would be a plot in the notebook)
kernel = np.ones(20) / 20
smooth = np.convolve(np.array(train_losses), kernel, mode="valid")
print("smoothed loss: start %.4f  end %.4f" % (smooth[0], smooth[-1]))

# ## 4. Test

# In[10]:

net = Net()
net.load_state_dict(torch.load(PATH))
net.eval()

all_preds = []
all_labels = []
all_probs = []
with torch.no_grad():
    for inputs, labels in test_loader:
        outputs = net(inputs)
        all_probs.append(F.softmax(outputs, dim=1).numpy())
        all_preds.extend(outputs.argmax(1).numpy())
        all_labels.extend(labels.numpy())

all_preds = np.array(all_preds)
all_labels = np.array(all_labels)
all_probs = np.concatenate(all_probs)

confusion = np.zeros((10, 10), dtype=int)
for t, p in zip(all_labels, all_preds):
    confusion[t, p] += 1
print(confusion)

# In[11]:

class_correct = list(0. for i in range(10))
class_total = list(0. for i in range(10))
for t, p in zip(all_labels, all_preds):
    class_correct[t] += float(t == p)
    class_total[t] += 1
for i in range(10):
    print('Accuracy of %2s : %2d %%' % (i, 100 * class_correct[i] / class_total[i]))

# which ones does it get wrong, and how sure was it?

# In[12]:

wrong = np.where(all_preds != all_labels)[0]
for i in wrong[:5]:
    print("true %d, predicted %d (p=%.2f)" % (all_labels[i], all_preds[i], all_probs[i].max()))

# In[13]:

# saliency: which pixels matter for the first test image
x, t = test_set[0]
x = x.unsqueeze(0).requires_grad_()
net(x)[0, t].backward()
saliency = x.grad.abs().squeeze().numpy()
print("most important pixel:", np.unravel_index(saliency.argmax(), saliency.shape))

test_acc = (all_preds == all_labels).mean()
nll = -np.log(all_probs[np.arange(len(all_labels)), all_labels] + 1e-12).mean()
print("test accuracy: %.4f" % test_acc)
print("test nll: %.4f" % nll)
print("best val accuracy: %.4f" % best_acc)
