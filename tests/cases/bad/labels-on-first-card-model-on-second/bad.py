import torch
from torch import nn

student_device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
teacher_device = torch.device("cuda:1" if torch.cuda.is_available() else "cpu")
student = nn.Linear(6, 3).to(student_device)
teacher = nn.Linear(6, 3).to(teacher_device)
inputs = torch.randn(4, 6)
with torch.no_grad():
    wanted = teacher(inputs.to(teacher_device)).softmax(dim=1)
answer = student(inputs.to(student_device)).log_softmax(dim=1)
loss = nn.functional.kl_div(answer, wanted, reduction="batchmean")
loss.backward()
print(loss.item() >= 0)
