"""Workloads made after all others had been looked at: results are counted on them and nothing is developed. Here are
models of words; later_senses.py has sounds and pictures, later_serving.py a server, later_training.py training."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right
from torch.profiler import record_function

from held_out_models import padded
from models import parted
from recording import mark_layers, scope
from scenarios import DEVICE, TYPE, causal, prefill_and_decode, words


def turns_of(room, size):
    """Cosines and sines by which heads of a size are turned at each place."""
    angles = torch.arange(room)[:, None] * torch.exp(torch.arange(size // 2) * (-18 / size))
    return nn.Buffer(angles.cos()), nn.Buffer(angles.sin())


def turned(x, turns):
    cos, sin = turns
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], -1)


def gated_mlp(norm, up, down, x):
    gate, x = up(norm(x)).chunk(2, dim=-1)
    return down(F.silu(gate) * x)


def sampled(logits, most):
    """A word of the likeliest that together are as likely as most."""
    likely, order = (logits.float() / 0.8).softmax(-1).sort(-1, descending=True)
    likely = likely * (likely.cumsum(-1) - likely < most)
    return order.gather(-1, torch.multinomial(likely, 1))


class RoomLayer(nn.Module):
    """A decoder layer whose keys and values stand in a room of fixed size, each at its place."""

    def __init__(self, width, heads, room):
        super().__init__()
        self.heads, self.kept = heads, nn.Buffer(torch.zeros(2, 1, heads, room, width // heads))
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, begin, turns):
        end = begin + x.shape[1]
        q, k, v = (parted(t, self.heads) for t in self.qkv(self.before(x)).chunk(3, dim=-1))
        self.kept[0, :, :, begin:end], self.kept[1, :, :, begin:end] = turned(k, turns), v
        keys, values = self.kept[:, :, :, :end]
        mask = causal_lower_right(end - begin, end) if begin and end - begin > 1 else None
        seen = F.scaled_dot_product_attention(turned(q, turns), keys, values, attn_mask=mask, is_causal=not begin)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.between(x)), approximate="tanh"))


class EarlyExit(nn.Module):
    """A decoder that may be asked for its words after some of its layers already."""

    def __init__(self, layers, width, heads, room, vocabulary=8000):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.layers = nn.ModuleList(RoomLayer(width, heads, room) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.cos, self.sin = turns_of(room, width // heads)

    def forward(self, given, begin, layers=None):
        end, x = begin + given.shape[1], self.embedding(given)
        for layer in self.layers[:layers]:
            x = layer(x, begin, (self.cos[begin:end], self.sin[begin:end]))
        return self.head(self.last(x)).argmax(-1)


def early_exits():
    """A decoder of 13 layers that speculates by itself: its first 4 layers and its head propose 3 to 5 words (21
    drafts), then all layers look at them and take none, some or all; 5 rounds behind a prompt of 230 words."""
    model = EarlyExit(13, 640, 10, room=280).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    prompt, rounds = words(1, 230), ((5, 2), (4, 4), (3, 0), (5, 3), (4, 1))

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                word = model(prompt, 0)[:, -1:]
            length = prompt.shape[1]
            for proposed, accepted in rounds:
                guesses = [word]
                for i in range(proposed):
                    with scope("draft"):
                        guesses.append(model(guesses[-1], length + i, 4))
                with scope("verify"):
                    joined = torch.cat(guesses, 1)
                    said = model(joined, length)
                    (said[:, :-1] == joined[:, 1:]).long().cumprod(1).sum().item()  # the rounds say what was taken
                    word = said[:, accepted:accepted + 1]
                length += accepted + 1
    return workload


def long_prompts():
    """Phi of 9 layers, attention and MLP side by side: prompts of 1240 and of 900 words are read in pieces of 320 (4
    and 3), of which only the last says a word, then 7 decode passes each; the host never waits."""
    from transformers import PhiConfig
    model = causal(PhiConfig(vocab_size=8000, hidden_size=768, intermediate_size=3072, num_hidden_layers=9,
                             num_attention_heads=12))
    mark_layers(model.model.layers)
    prompts = [words(1, length) for length in (1240, 900)]

    def workload():
        with torch.no_grad():
            for prompt in prompts:
                *pieces, last = prompt.split(320, dim=1)
                past = None
                for piece in pieces:
                    with scope("prefill"):
                        past = model.model(piece, past_key_values=past, use_cache=True).past_key_values
                with scope("prefill"):
                    out = model(last, past_key_values=past, use_cache=True, logits_to_keep=1)
                    word = out.logits.argmax(-1)
                for _ in range(7):
                    with scope("decode"):
                        out = model(word, past_key_values=out.past_key_values, use_cache=True)
                        word = out.logits[:, -1:].argmax(-1)
    return workload


class SlopedLayer(nn.Module):
    """All heads share one key and one value (multi-query), and what is far away counts less (ALiBi)."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads, self.parts = heads, [width, width // heads, width // heads]
        self.qkv, self.out = nn.Linear(width, sum(self.parts)), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)

    def forward(self, x, bias, past):
        q, *new = self.qkv(self.before(x)).split(self.parts, dim=-1)
        kept = new if past is None else [torch.cat(pair, 1) for pair in zip(past, new)]
        keys, values = (t[:, None].expand(-1, self.heads, -1, -1) for t in kept)
        seen = F.scaled_dot_product_attention(parted(q, self.heads), keys, values, attn_mask=bias)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.between(x)))), kept


class SlopedDecoder(nn.Module):
    def __init__(self, layers, width, heads, vocabulary=8000):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.layers = nn.ModuleList(SlopedLayer(width, heads) for _ in range(layers))
        self.last, self.slopes = nn.LayerNorm(width), nn.Buffer(2 ** -torch.linspace(0.5, 8, heads)[:, None, None])

    def forward(self, given, past=None):
        before = past[0][0].shape[1] if past else 0
        places = torch.arange(before + given.shape[1], device=given.device)
        away = places - places[before:, None]
        bias = (self.slopes * away).masked_fill(away > 0, -torch.inf).expand(len(given), -1, -1, -1)
        x, kept = self.embedding(given), []
        for i, layer in enumerate(self.layers):
            x, seen = layer(x, bias, past[i] if past else None)
            kept.append(seen)
        return self.head(self.last(x[:, -1])), kept


def several_answers():
    """A decoder of 12 layers with one key for all heads: a prompt of 350 words is read once and answered 6 times side
    by side, sampled (top-p), 8 decode passes; then one of 150 words, 3 answers, 11 passes."""
    model = SlopedDecoder(12, 768, 12).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    requests = [(words(1, 350), 6, 8), (words(1, 150), 3, 11)]

    def workload():
        with torch.no_grad():
            for prompt, answers, tokens in requests:
                with scope("prefill"):
                    logits, past = model(prompt)
                    past = [[t.repeat(answers, 1, 1) for t in kept] for kept in past]
                    word = sampled(logits.repeat(answers, 1), 0.9)
                for _ in range(tokens):
                    with scope("decode"):
                        logits, past = model(word, past)
                        word = sampled(logits, 0.9)
    return workload


class LatentLayer(nn.Module):
    """Latent attention: of each word a narrow row and one turned key are kept. Many words at once make keys and values
    of them; a single word asks and answers in the narrow space, so that none are made (DeepSeek's absorbed form)."""

    def __init__(self, width, heads, narrow=128, turn=32, size=64):
        super().__init__()
        self.heads, self.size, self.turn, self.narrow = heads, size, turn, narrow
        self.ask = nn.Sequential(nn.Linear(width, 192, bias=False), nn.RMSNorm(192),
                                 nn.Linear(192, heads * (size + turn), bias=False))
        self.keep, self.known = nn.Linear(width, narrow + turn, bias=False), nn.RMSNorm(narrow)
        self.widen, self.out = (nn.Linear(narrow, heads * 2 * size, bias=False),
                                nn.Linear(heads * size, width, bias=False))
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)

    def read(self, plain, turning, known, key):
        keys, values = parted(self.widen(known), self.heads).chunk(2, dim=-1)
        keys = torch.cat([keys, key[:, None].expand(-1, self.heads, -1, -1)], -1)
        values = F.pad(values, (0, self.turn))  # attention kernels want values as wide as keys
        return F.scaled_dot_product_attention(torch.cat([plain, turning], -1), keys, values,
                                              is_causal=True)[..., :self.size]

    def answer(self, plain, turning, kept):
        to_keys, to_values = self.widen.weight.view(self.heads, 2 * self.size, self.narrow).chunk(2, dim=1)
        asked = torch.cat([torch.einsum("bhd,hdn->bhn", plain[:, :, 0], to_keys), turning[:, :, 0]], -1)
        likely = (asked @ kept.transpose(1, 2) * 0.1).float().softmax(-1).to(kept.dtype)
        return torch.einsum("bhn,hdn->bhd", likely @ kept[..., :self.narrow], to_values)[:, :, None]

    def forward(self, x, turns, past):
        y = self.before(x)
        plain, turning = parted(self.ask(y), self.heads).split([self.size, self.turn], dim=-1)
        known, key = self.keep(y).split([self.narrow, self.turn], dim=-1)
        turning, known, key = turned(turning, turns), self.known(known), turned(key, turns)
        kept = torch.cat([known, key], -1)
        if past is None:
            seen = self.read(plain, turning, known, key)
        else:
            kept = torch.cat([past, kept], 1)
            seen = self.answer(plain, turning, kept)
        x = x + self.out(seen.transpose(1, 2).flatten(2))
        return x + gated_mlp(self.between, self.up, self.down, x), kept


def latent_attention():
    """A decoder of 11 layers with latent attention, absorbed in decode alone, so that prefill and decode run unlike
    products: 3 prompts at once of 270 words and 6 decode passes, then 3 of 140 and 5."""
    model = nn.ModuleDict(dict(
        embedding=nn.Embedding(8000, 512), layers=nn.ModuleList(LatentLayer(512, 8) for _ in range(11)),
        last=nn.RMSNorm(512), head=nn.Linear(512, 8000, bias=False))).to(DEVICE, TYPE).eval()
    mark_layers(model["layers"])
    cos, sin = (t.to(DEVICE, TYPE) for t in turns_of(300, 32))
    requests = [(words(3, 270), 6), (words(3, 140), 5)]

    def run(given, begin, past):
        end, x, kept = begin + given.shape[1], model["embedding"](given), []
        for layer, seen in zip(model["layers"], past):
            x, new = layer(x, (cos[begin:end], sin[begin:end]), seen)
            kept.append(new)
        return model["head"](model["last"](x[:, -1:])).argmax(-1), kept

    def workload():
        with torch.no_grad():
            for prompt, tokens in requests:
                with scope("prefill"):
                    word, past = run(prompt, 0, [None] * 11)
                for i in range(tokens):
                    with scope("decode"):
                        word, past = run(word, prompt.shape[1] + i, past)
    return workload


def asked_of_documents():
    """Three questions to a store of texts: BERT of 6 layers makes a vector of the question and the nearest 24 texts are
    read by the host, RoBERTa of 10 layers judges them in 3 batches of 8 that are padded to other lengths, then Mistral
    of 7 layers answers (a prefill, 4, 2 and 5 decode passes); an annotation for each question."""
    from transformers import BertConfig, BertModel, MistralConfig, RobertaConfig, RobertaForSequenceClassification
    reader = BertModel(BertConfig(vocab_size=8000, hidden_size=384, num_hidden_layers=6, num_attention_heads=6,
                                  intermediate_size=1536), add_pooling_layer=False).to(DEVICE, TYPE).eval()
    judge = RobertaForSequenceClassification(RobertaConfig(
        vocab_size=8000, hidden_size=512, num_hidden_layers=10, num_attention_heads=8, intermediate_size=2048,
        pad_token_id=0, bos_token_id=1, eos_token_id=2)).to(DEVICE, TYPE).eval()
    model = causal(MistralConfig(vocab_size=8000, hidden_size=640, intermediate_size=1280, num_hidden_layers=7,
                                 num_attention_heads=10, num_key_value_heads=2, sliding_window=None))
    mark_layers(reader.encoder.layer)
    mark_layers(judge.roberta.encoder.layer)
    mark_layers(model.model.layers)
    store = F.normalize(torch.randn(20000, 384, device=DEVICE, dtype=TYPE), dim=-1)
    questions = [(words(1, asked), [padded(8, length) for length in lengths], words(1, prompt), tokens)
                 for asked, lengths, prompt, tokens in (
                     (18, (220, 150, 96), 540, 4), (11, (180, 180, 60), 410, 2), (27, (256, 128, 112), 620, 5))]

    def workload():
        with torch.no_grad():
            for number, (question, texts, prompt, tokens) in enumerate(questions):
                with record_function(f"question {number}"):
                    with scope("encoder"):
                        asked = F.normalize(reader(question).last_hidden_state.mean(1), dim=-1)
                        (asked @ store.T).topk(24).indices.tolist()
                    for batch in texts:
                        with scope("encoder"):
                            judge(**batch).logits[:, 0].float().sigmoid().cpu()
                    prefill_and_decode(model, prompt, tokens)
    return workload


class FadingLayer(nn.Module):
    """RWKV's way: each word is mixed with the one before it, and instead of attention a matrix for each head fades and
    takes in what comes. Many words at once are taken in pieces, in which products stand for the single steps."""

    def __init__(self, width, size=64, piece=32):
        super().__init__()
        self.heads, self.piece = width // size, piece
        self.mixes, self.bonus = nn.Parameter(torch.rand(6, width)), nn.Parameter(torch.rand(self.heads, size, 1))
        self.parts = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(5))
        self.norm, self.out = nn.GroupNorm(self.heads, width), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 3 * width, bias=False), nn.Linear(3 * width, width, bias=False)
        self.gate = nn.Linear(width, width, bias=False)
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)

    def step(self, r, k, v, fade, memory):
        new = k.transpose(2, 3) @ v
        return r @ (memory + self.bonus * new), memory * fade.exp().transpose(2, 3) + new

    def pieces(self, r, k, v, fade, memory):
        told = []
        for asks, gives, values, fades in zip(*(t.split(self.piece, dim=2) for t in (r, k, v, fade))):
            total = fades.cumsum(2)
            asks, last = asks * total.exp(), total[:, :, -1:]
            near = (asks @ (gives * (-total).exp()).transpose(2, 3)).tril()
            told.append(near @ values + asks @ memory)
            memory = memory * last.exp().transpose(2, 3) + (gives * (last - total).exp()).transpose(2, 3) @ values
        return torch.cat(told, 2), memory

    def forward(self, x, state):
        y, (first, second, memory) = self.before(x), state
        earlier = torch.cat([first, y[:, :-1]], 1)
        *rows, gate = (part(torch.lerp(y, earlier, mix)) for part, mix in zip(self.parts, self.mixes))
        r, k, v, fade = (parted(t, self.heads) for t in rows)
        take = self.step if x.shape[1] == 1 else self.pieces
        told, memory = take(r, k, v, -F.softplus(fade), memory)
        told = self.norm(told.transpose(1, 2).flatten(2).flatten(0, 1)).view_as(x)
        x = x + self.out(told * F.silu(gate))
        z = self.between(x)
        mixed = torch.lerp(z, torch.cat([second, z[:, :-1]], 1), self.mixes[5])
        x = x + self.gate(mixed).sigmoid() * self.down(F.relu(self.up(mixed)).square())
        return x, (y[:, -1:], z[:, -1:], memory)


def fading_states():
    """RWKV in small, 8 layers without attention: 2 prompts at once of 160 words in pieces of 32 and 6 decode passes,
    then 2 of 90 (the last piece is shorter) and 7."""
    model = nn.ModuleDict(dict(
        embedding=nn.Embedding(8000, 512), layers=nn.ModuleList(FadingLayer(512) for _ in range(8)),
        last=nn.LayerNorm(512), head=nn.Linear(512, 8000, bias=False))).to(DEVICE, TYPE).eval()
    mark_layers(model["layers"])
    nothing = torch.zeros(2, 1, 512, device=DEVICE, dtype=TYPE)
    blank = torch.zeros(2, 8, 64, 64, device=DEVICE, dtype=TYPE)
    requests = [(words(2, 160), 6), (words(2, 90), 7)]

    def run(given, states):
        x, kept = model["embedding"](given), []
        for layer, state in zip(model["layers"], states):
            x, new = layer(x, state)
            kept.append(new)
        return model["head"](model["last"](x[:, -1:])).argmax(-1), kept

    def workload():
        with torch.no_grad():
            for prompt, tokens in requests:
                with scope("prefill"):
                    word, states = run(prompt, [(nothing, nothing, blank)] * 8)
                for _ in range(tokens):
                    with scope("decode"):
                        word, states = run(word, states)
    return workload


ALL = [early_exits, long_prompts, several_answers, latent_attention, asked_of_documents, fading_states]
