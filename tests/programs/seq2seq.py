# -*- coding: utf-8 -*-
# Seq2seq with attention: translate "spoken" numbers into digits
#   "three hundred forty two" -> "3 4 2"
# Loosely follows the classic PyTorch translation tutorial, but batched.

import os
import random
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim
from torch.utils.data import DataLoader

random.seed(10)
torch.manual_seed(10)

PAD_token = 0
SOS_token = 1
EOS_token = 2


class Lang:
    def __init__(self, name):
        self.name = name
        self.word2index = {"PAD": 0, "SOS": 1, "EOS": 2}
        self.word2count = {}
        self.index2word = {0: "PAD", 1: "SOS", 2: "EOS"}
        self.n_words = 3

    def addSentence(self, sentence):
        for word in sentence.split(' '):
            self.addWord(word)

    def addWord(self, word):
        if word not in self.word2index:
            self.word2index[word] = self.n_words
            self.word2count[word] = 1
            self.index2word[self.n_words] = word
            self.n_words += 1
        else:
            self.word2count[word] += 1


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen " \
       "fifteen sixteen seventeen eighteen nineteen".split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()


def spell(n):
    if n < 20:
        return ONES[n]
    if n < 100:
        return TENS[n // 10] + (" " + ONES[n % 10] if n % 10 else "")
    rest = n % 100
    return ONES[n // 100] + " hundred" + (" " + spell(rest) if rest else "")


def prepareData():
    numbers = list(range(1000))
    random.shuffle(numbers)
    pairs = [(spell(n), ' '.join(str(n))) for n in numbers]
    input_lang, output_lang = Lang('words'), Lang('digits')
    for a, b in pairs:
        input_lang.addSentence(a)
        output_lang.addSentence(b)
    print("Counted words:")
    print(input_lang.name, input_lang.n_words)
    print(output_lang.name, output_lang.n_words)
    return input_lang, output_lang, pairs


def indexesFromSentence(lang, sentence):
    return [lang.word2index[word] for word in sentence.split(' ')] + [EOS_token]


class Collator(object):
    """Pads both sides, returns (src, src_len, tgt)."""

    def __init__(self, input_lang, output_lang):
        self.input_lang = input_lang
        self.output_lang = output_lang

    def pad(self, seqs):
        m = max(len(s) for s in seqs)
        return torch.LongTensor([s + [PAD_token] * (m - len(s)) for s in seqs])

    def __call__(self, batch):
        src = [indexesFromSentence(self.input_lang, p[0]) for p in batch]
        tgt = [indexesFromSentence(self.output_lang, p[1]) for p in batch]
        return self.pad(src), torch.LongTensor([len(s) for s in src]), self.pad(tgt)


class EncoderRNN(nn.Module):
    def __init__(self, input_size, hidden_size, dropout_p=0.1):
        super(EncoderRNN, self).__init__()
        self.hidden_size = hidden_size
        self.embedding = nn.Embedding(input_size, hidden_size, padding_idx=PAD_token)
        self.gru = nn.GRU(hidden_size, hidden_size // 2, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, input, lengths):
        embedded = self.dropout(self.embedding(input))
        packed = nn.utils.rnn.pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        output, hidden = self.gru(packed)
        output, _ = nn.utils.rnn.pad_packed_sequence(output, batch_first=True)
        hidden = torch.cat((hidden[0], hidden[1]), dim=1).unsqueeze(0)
        return output, hidden


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super(BahdanauAttention, self).__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys, mask):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
        weights = F.softmax(scores, dim=-1)
        context = torch.bmm(weights, keys)
        return context, weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, output_size, max_length, dropout_p=0.1):
        super(AttnDecoderRNN, self).__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(output_size, hidden_size)
        self.attention = BahdanauAttention(hidden_size)
        self.gru = nn.GRU(2 * hidden_size, hidden_size, batch_first=True)
        self.out = nn.Linear(hidden_size, output_size)
        self.dropout = nn.Dropout(dropout_p)

    def forward(self, encoder_outputs, encoder_hidden, mask, target_tensor=None, teacher_forcing_ratio=0.0):
        batch_size = encoder_outputs.size(0)
        decoder_input = torch.empty(batch_size, 1, dtype=torch.long).fill_(SOS_token)
        decoder_hidden = encoder_hidden
        decoder_outputs = []
        attentions = []
        steps = self.max_length if target_tensor is None else target_tensor.size(1)

        for i in range(steps):
            decoder_output, decoder_hidden, attn_weights = self.forward_step(
                decoder_input, decoder_hidden, encoder_outputs, mask)
            decoder_outputs.append(decoder_output)
            attentions.append(attn_weights)

            if target_tensor is not None and random.random() < teacher_forcing_ratio:
                decoder_input = target_tensor[:, i].unsqueeze(1)  # Teacher forcing
            else:
                _, topi = decoder_output.topk(1)
                decoder_input = topi.squeeze(-1).detach()

        decoder_outputs = torch.cat(decoder_outputs, dim=1)
        decoder_outputs = F.log_softmax(decoder_outputs, dim=-1)
        attentions = torch.cat(attentions, dim=1)
        return decoder_outputs, decoder_hidden, attentions

    def forward_step(self, input, hidden, encoder_outputs, mask):
        embedded = self.dropout(self.embedding(input))
        query = hidden.permute(1, 0, 2)
        context, attn_weights = self.attention(query, encoder_outputs, mask)
        input_gru = torch.cat((embedded, context), dim=2)
        output, hidden = self.gru(input_gru, hidden)
        return self.out(output), hidden, attn_weights


def make_mask(lengths):
    mask = torch.zeros(len(lengths), int(lengths.max()), dtype=torch.uint8)
    for i, l in enumerate(lengths):
        mask[i, :l] = 1
    return mask


def train_epoch(dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion, ratio):
    total_loss = 0
    encoder.train()
    decoder.train()
    for src, src_len, tgt in dataloader:
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        encoder_outputs, encoder_hidden = encoder(src, src_len)
        decoder_outputs, _, _ = decoder(encoder_outputs, encoder_hidden, make_mask(src_len), tgt, ratio)
        loss = criterion(decoder_outputs.view(-1, decoder_outputs.size(-1)), tgt.view(-1))
        loss.backward()
        nn.utils.clip_grad_norm_(list(encoder.parameters()) + list(decoder.parameters()), 1.0)
        encoder_optimizer.step()
        decoder_optimizer.step()
        total_loss += loss.item()
    return total_loss / len(dataloader)


def evaluate(encoder, decoder, sentence, input_lang, output_lang):
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        input_tensor = torch.tensor(indexesFromSentence(input_lang, sentence), dtype=torch.long).view(1, -1)
        lengths = torch.tensor([input_tensor.size(1)])
        encoder_outputs, encoder_hidden = encoder(input_tensor, lengths)
        decoder_outputs, _, decoder_attn = decoder(encoder_outputs, encoder_hidden, make_mask(lengths))
        _, topi = decoder_outputs.topk(1)
        decoded_ids = topi.squeeze()
        decoded_words = []
        for idx in decoded_ids:
            if idx.item() == EOS_token:
                decoded_words.append('<EOS>')
                break
            decoded_words.append(output_lang.index2word[idx.item()])
    return decoded_words, decoder_attn[0, :len(decoded_words)].numpy()


def showAttention(sentence, words, attn):
    cols = sentence.split(' ') + ['<EOS>']
    print(' ' * 6 + ' '.join('%8s' % c for c in cols))
    for w, row in zip(words, attn):
        print('%-6s' % w + ' '.join('%8.2f' % a for a in row))


def main():
    input_lang, output_lang, pairs = prepareData()
    train_pairs, test_pairs = pairs[:850], pairs[850:]
    dataloader = DataLoader(train_pairs, batch_size=32, shuffle=True,
                            collate_fn=Collator(input_lang, output_lang))

    hidden_size = 48
    encoder = EncoderRNN(input_lang.n_words, hidden_size)
    decoder = AttnDecoderRNN(hidden_size, output_lang.n_words, max_length=5)
    encoder_optimizer = optim.Adam(encoder.parameters(), lr=0.008)
    decoder_optimizer = optim.Adam(decoder.parameters(), lr=0.008)
    criterion = nn.NLLLoss(ignore_index=PAD_token)

    plot_losses = []
    n_epochs = 5
    start = time.time()
    for epoch in range(1, n_epochs + 1):
        ratio = max(0.3, 1.0 - 0.08 * epoch)
        loss = train_epoch(dataloader, encoder, decoder, encoder_optimizer, decoder_optimizer, criterion, ratio)
        plot_losses.append(loss)
        print('(%d %d%%) %.4f' % (epoch, epoch / n_epochs * 100, loss))
    elapsed = time.time() - start
    assert elapsed >= 0

    with tempfile.TemporaryDirectory() as d:
        torch.save([encoder.state_dict(), decoder.state_dict(), input_lang.word2index], os.path.join(d, 's2s.tar'))
        enc_state, dec_state, vocab = torch.load(os.path.join(d, 's2s.tar'))
    encoder = EncoderRNN(len(vocab), hidden_size)
    decoder = AttnDecoderRNN(hidden_size, output_lang.n_words, max_length=5)
    encoder.load_state_dict(enc_state)
    decoder.load_state_dict(dec_state)

    exact = 0
    digit_hits = []
    for a, b in test_pairs:
        words, _ = evaluate(encoder, decoder, a, input_lang, output_lang)
        guess = [w for w in words if w != '<EOS>']
        gold = b.split(' ')
        exact += guess == gold
        digit_hits.extend(g == t for g, t in zip(guess, gold))

    sentence = test_pairs[0][0]
    words, attn = evaluate(encoder, decoder, sentence, input_lang, output_lang)
    showAttention(sentence, words, attn)
    print('final train loss %.4f' % plot_losses[-1])
    print('exact match %.4f' % (exact / len(test_pairs)))
    print('digit accuracy %.4f' % np.mean(digit_hits))


if __name__ == '__main__':
    main()
