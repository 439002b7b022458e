"""Workloads made last, by someone who had not seen how the analysis works: other mixtures of what people train and ask.
Results are counted on them and nothing is developed."""

import torch
from torch import nn
from torch.nn import functional as F

from fresh import answer
from fresh_training import loss_on
from held_out_models import layers_called, padded
from held_out_training import train, updater
from later import gated_mlp, turned, turns_of
from models import Block, MixedDecoder, Stack, parted
from recording import Recorder, mark_layers, scope
from scenarios import DEVICE, TYPE, words


class WindowBlock(Block):
    """Gemma 3's way: norms before and behind attention and MLP, queries and keys normalized and turned, three queries
    for a key; a word sees those of a window, or all that came where the window is 0."""

    def __init__(self, width, length, window, size=64):
        super().__init__(width, size)
        self.groups, self.size = self.heads // 3, size
        self.parts = [self.heads, self.groups, self.groups]
        self.qkv = nn.Linear(width, sum(self.parts) * size, bias=False)
        self.asked, self.known = nn.RMSNorm(size), nn.RMSNorm(size)
        self.behind, self.after = nn.RMSNorm(width), nn.RMSNorm(width)
        self.cos, self.sin = turns_of(length, size)
        away = torch.arange(length)[:, None] - torch.arange(length)
        self.near = nn.Buffer((away >= 0) & (away < window)) if window else None

    def attend(self, x, past=None):
        q, k, v = parted(self.qkv(self.before(x)), sum(self.parts)).split(self.parts, dim=1)
        both = turned(torch.cat([self.asked(q), self.known(k)], 1), (self.cos, self.sin))
        q, k = both.split(self.parts[:2], dim=1)
        k, v = (t[:, :, None].expand(-1, -1, 3, -1, -1).flatten(1, 2) for t in (k, v))
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=self.near, is_causal=self.near is None)
        return x + self.behind(self.out(seen.transpose(1, 2).flatten(2))), None

    def feed(self, x):
        gate, up = self.up(self.between(x)).chunk(2, dim=-1)
        return x + self.after(self.down(F.gelu(gate, approximate="tanh") * up))


def windows_learned():
    """A decoder of Gemma 3's kind in training, 12 layers: five with a window of 48 words (a mask) and one that sees all
    (causal), twice; 5 steps over batches of 3 texts of 192 words in bfloat16, AdamW with foreach and not fused, not
    clipped; the host never waits."""
    model = Stack(12, 576, vocabulary=4000)
    model.layers = nn.ModuleList(WindowBlock(576, 192, 0 if i % 6 == 5 else 48) for i in range(12))
    model = model.to(DEVICE, TYPE).train()
    mark_layers(model.layers)
    update = updater(model.parameters(), [torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True, fused=False)])
    batches = [words(3, 193, 4000) for _ in range(5)]
    return lambda: [train(lambda: loss_on(model, batch), update) for batch in batches]


def odd_translations():
    """T5 in training, an encoder of 3 layers and a decoder of 2: 9 padded batches, 2 of them a step, so that the last
    of 5 steps has a single one, and this has 2 texts instead of 6; fused Adam with a rate that changes, and no loss is
    read."""
    from transformers import T5Config, T5ForConditionalGeneration
    model = T5ForConditionalGeneration(T5Config(
        vocab_size=4000, d_model=448, d_kv=64, d_ff=1152, num_layers=3, num_decoder_layers=2, num_heads=7,
        decoder_start_token_id=0)).to(DEVICE, TYPE).train()
    mark_layers(model.encoder.block)
    mark_layers(model.decoder.block)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
    update = updater(model.parameters(), [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer)])
    batches = []
    for rows in [6] * 8 + [2]:
        batch, said = padded(rows, 104), padded(rows, 72)
        batches.append(dict(input_ids=batch["input_ids"] % 4000, attention_mask=batch["attention_mask"],
                            labels=(said["input_ids"] % 4000).masked_fill(said["attention_mask"] == 0, -100)))

    def workload():
        left = iter(batches)
        for micro_steps in (2, 2, 2, 2, 1):
            train(lambda: model(**next(left), use_cache=False).loss / 2, update, micro_steps)
    return workload


def mixed_in_pairs():
    """ViT of 7 layers learns 60 kinds of pictures (160 x 160, 24 at once), which are mixed in pairs before each of 7
    steps, and so are the kinds (mixup): float32 weights, autocast to bfloat16, SGD with momentum and decay (foreach), a
    rate that changes; the host reads the loss of the third and sixth step."""
    from transformers import ViTConfig, ViTForImageClassification
    model = ViTForImageClassification(ViTConfig(
        hidden_size=320, num_hidden_layers=7, num_attention_heads=5, intermediate_size=1280, image_size=160,
        patch_size=16, num_labels=60)).to(DEVICE).train()
    mark_layers(layers_called(model, "ViTLayer"))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4, foreach=True)
    update = updater(model.parameters(), [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)])
    seen = torch.randn(24, 3, 160, 160, device=DEVICE)
    kinds = F.one_hot(torch.randint(60, (24,), device=DEVICE), 60).float()

    def mixed(share):
        order = torch.randperm(24, device=DEVICE)
        return [torch.lerp(t[order], t, share) for t in (seen, kinds)]

    def loss_of(pictures, wanted):
        with torch.autocast(DEVICE, TYPE):
            return F.cross_entropy(model(pixel_values=pictures).logits.float(), wanted)

    def workload():
        for step, share in enumerate((0.9, 0.35, 0.6, 0.99, 0.5, 0.15, 0.8)):
            pair = mixed(share)
            loss = train(lambda: loss_of(*pair), update)
            if step % 3 == 2:
                loss.item()
    return workload


def judged_texts():
    """BERT of 5 layers is tuned to tell 3 kinds of texts, float32, dropout: 9 marked steps (ProfilerStep) over padded
    batches of 12, AdamW, clipped, a rate that changes; after each third one, under the mark of the next, 2 batches of
    16 and of 10 are judged without gradients, and the host reads how many are right."""
    from transformers import BertConfig, BertForSequenceClassification
    model = BertForSequenceClassification(BertConfig(
        vocab_size=8000, hidden_size=448, num_hidden_layers=5, num_attention_heads=7, intermediate_size=1792,
        num_labels=3)).to(DEVICE)
    mark_layers(model.bert.encoder.layer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-5)
    update = updater(model.parameters(), [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer)], clip=1.0)
    batches = [(padded(12, 112), torch.randint(3, (12,), device=DEVICE)) for _ in range(9)]
    others = [(padded(rows, 112), torch.randint(3, (rows,), device=DEVICE)) for rows in (16, 10)]

    def judge():
        model.eval()
        right = []
        with torch.no_grad():
            for batch, kinds in others:
                with scope("eval"):
                    right.append((model(**batch).logits.argmax(-1) == kinds).sum())
        sum(right).item()
        model.train()

    def workload():
        model.train()
        for number, (batch, kinds) in enumerate(batches):
            train(lambda: model(**batch, labels=kinds).loss, update)
            Recorder.step()
            if number % 3 == 2:
                judge()
    return workload


def uneven_texts():
    """GPT-2 of 8 layers with 11 heads in training, bfloat16 weights, dropout: 8 marked steps (ProfilerStep), each over
    2 texts of another length (64 to 512 words); fused AdamW, clipped, and no loss is read."""
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(vocab_size=4000, n_embd=704, n_layer=8, n_head=11,
                                       use_cache=False)).to(DEVICE, TYPE).train()
    mark_layers(model.transformer.h)
    update = updater(model.parameters(), [torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)], clip=1.0)
    batches = [words(2, length, 4000) for length in (310, 64, 190, 512, 128, 77, 401, 256)]

    def workload():
        for batch in batches:
            train(lambda: model(batch, labels=batch).loss, update)
            Recorder.step()
    return workload


class FixedLayer(nn.Module):
    """A decoder layer whose keys and values have a room of fixed size, all of which is looked at under a mask."""

    def __init__(self, width, heads, groups, rows, room):
        super().__init__()
        self.size, self.share = width // heads, heads // groups
        self.parts = [heads * self.size, groups * self.size, groups * self.size]
        self.qkv, self.out = nn.Linear(width, sum(self.parts), bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)
        self.keys, self.values = (nn.Buffer(torch.zeros(rows, groups, room, self.size)) for _ in range(2))

    def forward(self, x, places, turns, mask):
        q, k, v = (parted(t, t.shape[-1] // self.size)
                   for t in self.qkv(self.before(x)).split(self.parts, dim=-1))
        self.keys.index_copy_(2, places, turned(k, turns))
        self.values.index_copy_(2, places, v)
        keys, values = (t[:, :, None].expand(-1, -1, self.share, -1, -1).flatten(1, 2)
                        for t in (self.keys, self.values))
        seen = F.scaled_dot_product_attention(turned(q, turns), keys, values, attn_mask=mask)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + gated_mlp(self.between, self.up, self.down, x)


def fixed_room():
    """A decoder of 9 layers with a static cache of 1024 words for 96 requests, 4 keys for 16 heads: a prefill of 600
    words and 8 decode passes, then one of 350 and 7; the device has much to do, the host is far ahead and never waits,
    and there is no annotation."""
    rows, room = 96, 1024
    model = nn.ModuleDict(dict(
        embedding=nn.Embedding(8000, 1024), head=nn.Linear(1024, 8000, bias=False), last=nn.RMSNorm(1024),
        layers=nn.ModuleList(FixedLayer(1024, 16, 4, rows, room) for _ in range(9)))).to(DEVICE, TYPE).eval()
    mark_layers(model["layers"])
    cos, sin = (t.to(DEVICE, TYPE) for t in turns_of(room, 64))
    there, requests = torch.arange(room, device=DEVICE), [(words(rows, 600), 8), (words(rows, 350), 7)]

    def run(given, begin):
        places = torch.arange(begin, begin + given.shape[1], device=DEVICE)
        mask = torch.zeros(len(places), room, device=DEVICE, dtype=TYPE)
        mask = mask.masked_fill(there > places[:, None], -torch.inf)
        x, turns = model["embedding"](given), (cos[places], sin[places])
        for layer in model["layers"]:
            x = layer(x, places, turns, mask)
        return model["head"](model["last"](x[:, -1:])).argmax(-1)

    def workload():
        with torch.no_grad():
            for prompt, tokens in requests:
                with scope("prefill"):
                    word = run(prompt, 0)
                for i in range(tokens):
                    with scope("decode"):
                        word = run(word, prompt.shape[1] + i)
    return workload


def long_one_between():
    """A server of 9 layers with 5 slots: 4 prompts of 40 to 210 words are read and 3 words of each decoded; then one of
    1900 words comes, is read in 7 pieces of 272 (the last has 268), and behind each piece the others have 2 decode
    passes; 4 decode passes of all 5 at the end. No pass mixes both."""
    model = MixedDecoder(layers=9, width=640, heads=10, slots=5, room=2000).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    at = {}

    def read(slot, begin, tokens):
        with scope("prefill"):
            model.run(words(1, tokens)[0], (slot, begin, tokens), {})

    def decode(times):
        for _ in range(times):
            with scope("decode"):
                model.run(words(1, len(at))[0], (0, 0, 0), at)
            for slot in at:
                at[slot] += 1

    def workload():
        at.clear()
        with torch.no_grad():
            for slot, length in enumerate((90, 210, 40, 150)):
                read(slot, 0, length)
                at[slot] = length
            decode(3)
            for begin in range(0, 1900, 272):
                read(4, begin, min(272, 1900 - begin))
                decode(2)
            at[4] = 1900
            decode(4)
    return workload


def unsure_answers():
    """A cascade: a decoder of 4 layers answers 5 requests, a prefill and 4 decode passes each, and the host reads how
    sure it was; 3 of them, the second, third and fifth, a decoder of 11 layers and heads of 128 answers anew, a prefill
    and 7 decode passes each."""
    small, large = Stack(4, 320).to(DEVICE, TYPE).eval(), Stack(11, 1024, sizes=(128,)).to(DEVICE, TYPE).eval()
    mark_layers(small.layers)
    mark_layers(large.layers)
    requests = [(words(1, length), is_hard) for length, is_hard in (
        (140, False), (330, True), (75, True), (210, False), (460, True))]

    def say(model, prompt, tokens):
        word, past, sure = prompt, None, []
        for number in range(1 + tokens):
            with scope("decode" if number else "prefill"):
                logits, past = model(word, past)
                likely, word = logits[:, -1:].float().log_softmax(-1).max(-1)
                sure.append(likely)
        return torch.cat(sure).mean().item()

    def workload():
        with torch.no_grad():
            for prompt, is_hard in requests:
                say(small, prompt, 4)
                if is_hard:  # the requests say how sure it was
                    say(large, prompt, 7)
    return workload


class StateLayer(nn.Module):
    """Mamba 2's way: a convolution over four words, and for each head a state that fades and takes in what comes. Many
    words at once are taken in pieces, in which products stand for the single steps."""

    def __init__(self, width, size=64, room=32, piece=64):
        super().__init__()
        self.heads, self.size, self.room, self.piece = 2 * width // size, size, room, piece
        self.mixed = [2 * width, room, room]
        self.parts = [2 * width, sum(self.mixed), self.heads]
        self.inward, self.out = nn.Linear(width, sum(self.parts), bias=False), nn.Linear(2 * width, width, bias=False)
        self.over = nn.Conv1d(sum(self.mixed), sum(self.mixed), 4, groups=sum(self.mixed))
        self.before, self.last = nn.RMSNorm(width), nn.RMSNorm(2 * width)
        self.rate = nn.Parameter(torch.zeros(self.heads, 1, 1))

    def one(self, asks, gives, values, fade, memory):
        memory = memory * fade.exp() + gives.transpose(2, 3) @ values
        return asks @ memory, memory

    def many(self, *rows_and_memory):
        *rows, memory = rows_and_memory
        told = []
        for asks, gives, values, fade in zip(*(t.split(self.piece, dim=2) for t in rows)):
            total = fade.cumsum(2)
            last = total[:, :, -1:]
            near = (asks @ gives.transpose(2, 3)) * (total - total.transpose(2, 3)).tril().exp().tril()
            told.append(near @ values + (asks @ memory) * total.exp())
            memory = memory * last.exp() + gives.transpose(2, 3) @ (values * (last - total).exp())
        return torch.cat(told, 2), memory

    def forward(self, x, past=None):
        gate, new, step = self.inward(self.before(x)).split(self.parts, dim=-1)
        if past is None:
            past = new.new_zeros(len(x), 3, new.shape[-1]), new.new_zeros(len(x), self.heads, self.room, self.size)
        rows = torch.cat([past[0], new], 1)
        values, gives, asks = F.silu(self.over(rows.transpose(1, 2)).transpose(1, 2)).split(self.mixed, dim=-1)
        step = F.softplus(step).transpose(1, 2)[..., None]
        take = self.one if x.shape[1] == 1 else self.many
        told, memory = take(asks[:, None], gives[:, None], parted(values, self.heads) * step,
                            -step * self.rate.exp(), past[1])
        told = self.last(told.transpose(1, 2).flatten(2) * F.silu(gate))
        return x + self.out(told), (rows[:, -3:], memory)


def mostly_states():
    """A decoder of 12 layers, three with states (Mamba 2's way, in plain PyTorch) and one with attention in turn: 2
    prompts at once of 250 words in pieces of 64 (the last has 58) and 6 decode passes, then 2 of 110 and 7."""
    model = Stack(12, 448)
    model.layers = nn.ModuleList(Block(448) if i % 4 == 3 else StateLayer(448) for i in range(12))
    model = model.to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    requests = [(words(2, 250), 6), (words(2, 110), 7)]
    return lambda: [answer(model, prompt, tokens) for prompt, tokens in requests]


def changing_beams():
    """A decoder of 10 layers searches with beams whose number changes: a prompt of 240 words, then 10 decode passes of
    6, 6, 6, 4, 4, 3, 3, 2, 2 and 1 beams; one of 130 words, then 9 of 3, 3, 3, 5, 5, 8, 8, 4 and 4. Behind each pass
    the best are chosen over all words and beams, and what is kept of them is gathered."""
    model = Stack(10, 832).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    # The beams that a pass leaves are those with which the next one runs.
    requests = [(words(1, 240), (6, 6, 6, 4, 4, 3, 3, 2, 2, 1, 1)), (words(1, 130), (3, 3, 3, 5, 5, 8, 8, 4, 4, 1))]

    def best(logits, scores, beams):
        likely = logits[:, -1].float().log_softmax(-1) + scores[:, None]
        scores, place = likely.flatten().topk(beams)
        return scores, place // likely.shape[1], (place % likely.shape[1])[:, None]

    def workload():
        with torch.no_grad():
            for prompt, counts in requests:
                word, past, scores = prompt, None, torch.zeros(1, device=DEVICE)
                for number, beams in enumerate(counts):
                    with scope("decode" if number else "prefill"):
                        logits, past = model(word, past)
                        scores, rows, word = best(logits, scores, beams)
                        past = [(keys[rows], values[rows]) for keys, values in past]
                word[0].tolist()
    return workload


ALL = [windows_learned, odd_translations, mixed_in_pairs, judged_texts, uneven_texts, fixed_room, long_one_between,
       unsure_answers, mostly_states, changing_beams]
