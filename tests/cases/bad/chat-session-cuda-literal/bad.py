import torch
import torch.nn as nn


class Session:
    def __init__(self, vocab=32, width=12):
        self.history = [0]
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, vocab, batch_first=True)
        self.model = nn.ModuleList([self.embed, self.rnn]).to("cuda").eval()

    @torch.no_grad()
    def reply(self, prompt, length=5):
        self.history += [ord(c) % 32 for c in prompt]
        for _ in range(length):
            ids = torch.tensor([self.history[-8:]], device="cuda")
            output, _ = self.rnn(self.embed(ids))
            self.history.append(int(output[0, -1].argmax()))
        return self.history[-length:]


if __name__ == "__main__":
    session = Session()
    print(session.reply("hello"))
    print(session.reply("again"))
