# %% [markdown]
# # Knowledge distillation (Hinton et al., 2015)
# We train a *teacher* CNN, freeze it, and train a much smaller *student*
#   1. alone, on the hard labels
#   2. with the soft targets of the teacher (KL with temperature)

# %%
import io
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset, DataLoader

torch.manual_seed(123)
np.random.seed(123)

N_CLASSES = 10
T = 2.0
ALPHA = 0.8

# %% [markdown]
# ## Data: 16x16 "glyphs". Each class is a random smooth template that gets shifted, scaled and drowned in noise.

# %%
templates = F.interpolate(torch.randn(N_CLASSES, 1, 5, 5), size=(16, 16), mode="bicubic", align_corners=False)
templates = templates / templates.flatten(1).std(dim=1).view(-1, 1, 1, 1)


def make_split(n, noise=1.4):
    y = torch.randint(0, N_CLASSES, (n,))
    x = templates[y].clone()
    for i in range(n):
        dx, dy = np.random.randint(-3, 4, size=2)
        x[i] = torch.roll(x[i], shifts=(int(dy), int(dx)), dims=(1, 2))
    x *= torch.empty(n, 1, 1, 1).uniform_(0.7, 1.3)
    x += noise * torch.randn_like(x)
    return x, y


x_train, y_train = make_split(900)
x_test, y_test = make_split(600)
mean, std = x_train.mean(), x_train.std()
train_ds = TensorDataset((x_train - mean) / std, y_train)
test_ds = TensorDataset((x_test - mean) / std, y_test)
# The student only gets the labels of a small part. For distillation it may also look at the
# other images (the "transfer set"): their label is -100, which cross entropy ignores.
small_idx = torch.randperm(len(train_ds))[:250]
student_ds = torch.utils.data.Subset(train_ds, small_idx)
partial = torch.full_like(y_train, -100)
partial[small_idx] = y_train[small_idx]
transfer_ds = TensorDataset(train_ds.tensors[0], partial)

test_loader = DataLoader(test_ds, batch_size=200)
print(len(train_ds), len(student_ds), int((partial != -100).sum()), len(test_ds))


# %%
class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.bn2 = nn.BatchNorm2d(32)
        self.drop = nn.Dropout(0.3)
        self.fc1 = nn.Linear(32 * 4 * 4, 96)
        self.fc2 = nn.Linear(96, N_CLASSES)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(x))), 2)
        x = F.max_pool2d(F.relu(self.bn2(self.conv2(x))), 2)
        x = self.drop(x.flatten(1))
        return self.fc2(F.relu(self.fc1(x)))


class Student(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.AvgPool2d(2)
        self.net = nn.Sequential(nn.Flatten(), nn.Linear(64, 24), nn.ReLU(), nn.Linear(24, N_CLASSES))

    def forward(self, x):
        return self.net(self.pool(x))


def count_params(m):
    return sum(p.numel() for p in m.parameters())


print("teacher:", count_params(Teacher()), "student:", count_params(Student()))


# %%
def evaluate(model, loader=test_loader):
    was_training = model.training
    model.eval()
    all_preds, all_labels, nll = [], [], 0.0
    with torch.no_grad():
        for xb, yb in loader:
            out = model(xb)
            nll += F.cross_entropy(out, yb, reduction="sum").item()
            all_preds.append(out.argmax(1).numpy())
            all_labels.append(yb.numpy())
    model.train(was_training)
    preds, labels = np.concatenate(all_preds), np.concatenate(all_labels)
    return (preds == labels).mean(), nll / len(labels)


def kd_loss(student_logits, teacher_logits, labels):
    soft = F.kl_div(
        F.log_softmax(student_logits / T, dim=1),
        F.softmax(teacher_logits / T, dim=1),
        reduction="batchmean",
    ) * (T * T)
    n_labelled = (labels != -100).sum().clamp(min=1)
    hard = F.cross_entropy(student_logits, labels, reduction="sum") / n_labelled
    return ALPHA * soft + (1 - ALPHA) * hard


def fit(model, loader, epochs, lr, loss_fn):
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    n_steps = epochs * len(loader)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: 0.5 * (1 + math.cos(math.pi * s / n_steps)))
    curve = []
    for ep in range(epochs):
        model.train()
        tot = 0
        for xb, yb in loader:
            loss = loss_fn(model, xb, yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            tot += loss.item()
        curve.append(tot / len(loader))
    return curve


def hard_label_loss(model, xb, yb):
    return F.cross_entropy(model(xb), yb, label_smoothing=0.0)


# %% [markdown]
# ## Teacher

# %%
teacher = Teacher()
curve = fit(teacher, DataLoader(train_ds, batch_size=64, shuffle=True), epochs=4, lr=3e-3, loss_fn=hard_label_loss)
print("teacher loss curve:", [round(c, 3) for c in curve])
teacher_acc, teacher_nll = evaluate(teacher)
print(f"teacher test acc {teacher_acc:.4f}  nll {teacher_nll:.4f}")

# freeze
for p in teacher.parameters():
    p.requires_grad_(False)
teacher.eval()

# %% [markdown]
# ## Student from scratch vs. distilled (same initial weights!)

# %%
init = io.BytesIO()
torch.save(Student().state_dict(), init)


def fresh_student():
    init.seek(0)
    s = Student()
    s.load_state_dict(torch.load(init))
    return s


student_loader = DataLoader(student_ds, batch_size=25, shuffle=True)
transfer_loader = DataLoader(transfer_ds, batch_size=50, shuffle=True)

baseline = fresh_student()
fit(baseline, student_loader, epochs=15, lr=5e-3, loss_fn=hard_label_loss)


def distill(model, xb, yb):
    with torch.no_grad():
        t_logits = teacher(xb)
    return kd_loss(model(xb), t_logits, yb)


student = fresh_student()
fit(student, transfer_loader, epochs=8, lr=5e-3, loss_fn=distill)

# %%
results = {"teacher": evaluate(teacher), "student (alone)": evaluate(baseline), "student (KD)": evaluate(student)}
for name, (acc, nll) in results.items():
    print(f"{name:>16s}  acc {acc:.4f}  nll {nll:.4f}")

with torch.no_grad():
    t, s, b = (m(test_ds.tensors[0]).argmax(1) for m in (teacher, student.eval(), baseline.eval()))
print("agreement with the teacher: KD %.4f, alone %.4f" % ((t == s).float().mean(), (t == b).float().mean()))
assert all(p.grad is None or not p.requires_grad for p in teacher.parameters())
