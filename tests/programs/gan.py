# dcgan on 16x16 "shapes", adapted from the pytorch dcgan example
import os
import random
import tempfile
import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
import torch.utils.data

manualSeed = 999
print("Random Seed: ", manualSeed)
random.seed(manualSeed)
np.random.seed(manualSeed)
torch.manual_seed(manualSeed)

batch_size = 64
image_size = 16
nc = 1        # channels
nz = 24       # size of z
ngf = 16
ndf = 12
num_epochs = 4
lr = 0.001
beta1 = 0.5
n_images = 768
real_label = 0.9   # one sided smoothing
fake_label = 0.


def make_shapes(n):
    imgs = np.full((n, nc, image_size, image_size), -1.0, dtype=np.float32)
    kinds = np.zeros(n, dtype=np.int64)
    for k in range(n):
        s = random.randint(3, 6)
        cx = random.randint(s, image_size - s - 1)
        cy = random.randint(s, image_size - s - 1)
        kinds[k] = random.randint(0, 2)
        if kinds[k] == 0:          # square
            imgs[k, 0, cy - s:cy + s, cx - s:cx + s] = 1
        elif kinds[k] == 1:        # disc
            yy, xx = np.ogrid[:image_size, :image_size]
            imgs[k, 0][(yy - cy) ** 2 + (xx - cx) ** 2 <= s * s] = 1
        else:                      # cross
            imgs[k, 0, cy - s:cy + s, cx - 1:cx + 1] = 1
            imgs[k, 0, cy - 1:cy + 1, cx - s:cx + s] = 1
    imgs += np.random.randn(*imgs.shape).astype(np.float32) * 0.05
    return imgs.clip(-1, 1), kinds


class ShapesDataset(torch.utils.data.Dataset):
    def __init__(self, n, transform=None):
        self.imgs, self.kinds = make_shapes(n)
        self.transform = transform

    def __len__(self):
        return len(self.imgs)

    def __getitem__(self, idx):
        img = torch.from_numpy(self.imgs[idx])
        if self.transform:
            img = self.transform(img)
        return img, self.kinds[idx]


def random_flip(img):
    if random.random() < 0.5:
        img = torch.flip(img, [2])
    return img


# custom weights initialization called on netG and netD
def weights_init(m):
    classname = m.__class__.__name__
    if classname.find('Conv') != -1:
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif classname.find('BatchNorm') != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


class Generator(nn.Module):
    def __init__(self):
        super(Generator, self).__init__()
        self.main = nn.Sequential(
            # z -> 4x4
            nn.ConvTranspose2d(nz, ngf * 2, 4, 1, 0, bias=False),
            nn.BatchNorm2d(ngf * 2),
            nn.ReLU(True),
            # -> 8x8
            nn.ConvTranspose2d(ngf * 2, ngf, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ngf),
            nn.ReLU(True),
            # -> 16x16
            nn.ConvTranspose2d(ngf, nc, 4, 2, 1, bias=False),
            nn.Tanh()
        )

    def forward(self, input):
        return self.main(input)


class Discriminator(nn.Module):
    def __init__(self):
        super(Discriminator, self).__init__()
        self.main = nn.Sequential(
            nn.Conv2d(nc, ndf, 4, 2, 1, bias=False),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf, ndf * 2, 4, 2, 1, bias=False),
            nn.BatchNorm2d(ndf * 2),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Conv2d(ndf * 2, 1, 4, 1, 0, bias=False),
            nn.Sigmoid()
        )

    def forward(self, input):
        # instance noise while training
        if self.training:
            input = input + 0.05 * torch.randn(input.size())
        return self.main(input)


dataset = ShapesDataset(n_images, transform=random_flip)
dataloader = torch.utils.data.DataLoader(dataset, batch_size=batch_size,
                                         shuffle=True, num_workers=0)

netG = Generator()
netG.apply(weights_init)
netD = Discriminator()
netD.apply(weights_init)
print(netG)
print(netD)

criterion = nn.BCELoss()
fixed_noise = torch.randn(64, nz, 1, 1)

optimizerD = optim.Adam(netD.parameters(), lr=lr, betas=(beta1, 0.999))
optimizerG = optim.Adam(netG.parameters(), lr=lr, betas=(beta1, 0.999))

outf = tempfile.mkdtemp()
img_list = []
G_losses = []
D_losses = []
iters = 0

print("Starting Training Loop...")
for epoch in range(num_epochs):
    for i, data in enumerate(dataloader, 0):

        ############################
        # (1) Update D network: maximize log(D(x)) + log(1 - D(G(z)))
        ###########################
        netD.zero_grad()
        real = data[0]
        b_size = real.size(0)
        label = torch.full((b_size,), real_label, dtype=torch.float)
        output = netD(real).view(-1)
        errD_real = criterion(output, label)
        errD_real.backward()
        D_x = output.mean().item()

        noise = torch.randn(b_size, nz, 1, 1)
        fake = netG(noise)
        label.fill_(fake_label)
        output = netD(fake.detach()).view(-1)
        errD_fake = criterion(output, label)
        errD_fake.backward()
        D_G_z1 = output.mean().item()
        errD = errD_real + errD_fake
        optimizerD.step()

        ############################
        # (2) Update G network: maximize log(D(G(z)))
        ###########################
        netG.zero_grad()
        label = torch.ones(b_size)
        output = netD(fake).view(-1)
        errG = criterion(output, label)
        errG.backward()
        D_G_z2 = output.mean().item()
        optimizerG.step()

        if i % 8 == 0:
            print('[%d/%d][%d/%d]\tLoss_D: %.4f\tLoss_G: %.4f\tD(x): %.4f\tD(G(z)): %.4f / %.4f'
                  % (epoch, num_epochs, i, len(dataloader),
                     errD.item(), errG.item(), D_x, D_G_z1, D_G_z2))

        G_losses.append(errG.item())
        D_losses.append(errD.item())

        if (iters % 40 == 0) or ((epoch == num_epochs - 1) and (i == len(dataloader) - 1)):
            with torch.no_grad():
                fake = netG(fixed_noise).detach()
            # 8x8 grid
            grid = fake.view(8, 8, image_size, image_size).permute(0, 2, 1, 3)
            grid = grid.reshape(8 * image_size, 8 * image_size)
            img_list.append(((grid.numpy() + 1) * 127.5).astype(np.uint8))
        iters += 1

    # do checkpointing
    torch.save(netG.state_dict(), '%s/netG_epoch_%d.pth' % (outf, epoch))
    torch.save(netD.state_dict(), '%s/netD_epoch_%d.pth' % (outf, epoch))

np.save(os.path.join(outf, 'grids.npy'), np.stack(img_list))
print(sorted(os.listdir(outf)))

# reload last generator and compare simple statistics with the real data
netG2 = Generator()
netG2.load_state_dict(torch.load('%s/netG_epoch_%d.pth' % (outf, num_epochs - 1)))
netG2.eval()
with torch.no_grad():
    samples = netG2(torch.randn(256, nz, 1, 1))
samples = samples.numpy()

real_fill = (dataset.imgs > 0).mean()
fake_fill = (samples > 0).mean()
mean_img_err = np.abs(samples.mean(0) - dataset.imgs.mean(0)).mean()

# linear interpolation between two z
z0 = torch.randn(nz)
z1 = torch.randn(nz)
steps = torch.linspace(0, 1, 8)[:, None]
z = (1 - steps) * z0 + steps * z1
with torch.no_grad():
    walk = netG2(z[:, :, None, None])
path_len = (walk[1:] - walk[:-1]).pow(2).mean(dim=[1, 2, 3]).sqrt().sum()

for f in os.listdir(outf):
    os.remove(os.path.join(outf, f))
os.rmdir(outf)

print('real fill %.4f  fake fill %.4f' % (real_fill, fake_fill))
print('mean image error %.4f' % mean_img_err)
print('interpolation path %.4f' % path_len)
print('final Loss_D %.4f Loss_G %.4f' % (np.mean(D_losses[-10:]), np.mean(G_losses[-10:])))
