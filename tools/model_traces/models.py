"""Small models that libraries do not have in the shape that is needed here. Weights are random."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention.bias import causal_lower_right


class SlotLayer(nn.Module):
    """A decoder layer over a cache of slots, one request each."""

    def __init__(self, width, heads, slots, room):
        super().__init__()
        self.heads, self.width = heads, width
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)
        shape = (slots, heads, room, width // heads)
        self.register_buffer("keys", torch.zeros(shape))
        self.register_buffer("values", torch.zeros(shape))

    def forward(self, x, slots, begin, length, mask):
        batch, tokens, _ = x.shape
        q, k, v = (t.view(batch, tokens, self.heads, -1).transpose(1, 2)
                   for t in self.qkv(self.before(x)).chunk(3, dim=-1))
        self.keys[slots, :, begin:begin + tokens] = k
        self.values[slots, :, begin:begin + tokens] = v
        if tokens > 1:
            seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            seen = F.scaled_dot_product_attention(q, self.keys[slots, :, :length], self.values[slots, :, :length],
                                                  attn_mask=mask)
        x = x + self.out(seen.transpose(1, 2).reshape(batch, tokens, self.width))
        return x + self.down(F.silu(self.up(self.between(x))))


class SlotDecoder(nn.Module):
    """What a server runs: a prefill of one request, or a decode pass of all that are there."""

    def __init__(self, layers=8, width=512, heads=8, slots=4, room=640, words=8000):
        super().__init__()
        self.embedding, self.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.layers = nn.ModuleList(SlotLayer(width, heads, slots, room) for _ in range(layers))
        self.last = nn.RMSNorm(width)

    def run_hidden(self, words, slots, begin, length):
        mask = None
        if words.shape[1] == 1:
            mask = (torch.arange(length, device=words.device) <= begin).expand(len(slots), 1, 1, length)
        x = self.embedding(words)
        for layer in self.layers:
            x = layer(x, slots, begin, length, mask)
        return x

    def run(self, words, slots, begin, length):
        return self.head(self.last(self.run_hidden(words, slots, begin, length)[:, -1:])).argmax(-1)


class MixedLayer(SlotLayer):
    """A decoder layer for a piece of one prompt and a word each of other requests, all in one batch of words."""

    def forward(self, x, piece, others):
        slot, begin, tokens = piece
        q, k, v = (t.unflatten(-1, (self.heads, -1)) for t in self.qkv(self.before(x)).chunk(3, dim=-1))
        seen = []
        if tokens:
            end = begin + tokens
            self.keys[slot, :, begin:end] = k[:tokens].transpose(0, 1)
            self.values[slot, :, begin:end] = v[:tokens].transpose(0, 1)
            seen.append(F.scaled_dot_product_attention(
                q[:tokens].transpose(0, 1)[None], self.keys[slot, None, :, :end], self.values[slot, None, :, :end],
                attn_mask=causal_lower_right(tokens, end))[0].transpose(0, 1))
        if others:
            slots, places, mask = others
            self.keys[slots, :, places], self.values[slots, :, places] = k[tokens:], v[tokens:]
            keys, values = (t[slots, :, :mask.shape[-1]] for t in (self.keys, self.values))
            seen.append(F.scaled_dot_product_attention(q[tokens:, :, None], keys, values, attn_mask=mask)[:, :, 0])
        x = x + self.out(torch.cat(seen).flatten(1))
        return x + self.down(F.silu(self.up(self.between(x))))


class MixedDecoder(nn.Module):
    """What a server with chunked prefill runs: a piece of a prompt, words of others, or both in one pass."""

    def __init__(self, layers, width, heads, slots, room, words=8000):
        super().__init__()
        self.embedding, self.head = nn.Embedding(words, width), nn.Linear(width, words, bias=False)
        self.layers = nn.ModuleList(MixedLayer(width, heads, slots, room) for _ in range(layers))
        self.last = nn.RMSNorm(width)

    def run(self, words, piece, at):
        """piece: slot, where it begins and its words; at: where the next word of each other slot stands."""
        others = None
        if at:
            slots, places = torch.tensor([list(at), list(at.values())], device=words.device)
            seen = torch.arange(max(at.values()) + 1, device=words.device) <= places[:, None]
            others = slots, places, seen[:, None, None]
        x = self.embedding(words)
        for layer in self.layers:
            x = layer(x, piece, others)
        return self.head(self.last(x[-1 - len(at):])).argmax(-1)


class ResidualBlock(nn.Module):
    """Two convolutions, shifted by the time step, and attention where it is asked for."""

    def __init__(self, before, width, heads=0):
        super().__init__()
        self.first, self.second = nn.Conv2d(before, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.norms = nn.ModuleList((nn.GroupNorm(8, before), nn.GroupNorm(8, width)))
        self.when, self.skip = nn.Linear(128, width), nn.Conv2d(before, width, 1)
        self.attention = nn.MultiheadAttention(width, heads, batch_first=True) if heads else None

    def forward(self, x, when):
        y = self.first(F.silu(self.norms[0](x))) + self.when(when)[:, :, None, None]
        y = self.skip(x) + self.second(F.silu(self.norms[1](y)))
        if self.attention is None:
            return y
        rows = y.flatten(2).transpose(1, 2)
        return y + self.attention(rows, rows, rows, need_weights=False)[0].transpose(1, 2).view_as(y)


class DiffusionUNet(nn.Module):
    """Two levels down, a middle with attention, two levels up that see what went down."""

    def __init__(self, channels=4, width=64):
        super().__init__()
        self.inward, self.outward = nn.Conv2d(channels, width, 3, padding=1), nn.Conv2d(width, channels, 3, padding=1)
        self.down = nn.ModuleList((ResidualBlock(width, width), ResidualBlock(width, 2 * width, 4)))
        self.middle = ResidualBlock(2 * width, 2 * width, 4)
        self.up = nn.ModuleList((ResidualBlock(4 * width, width, 4), ResidualBlock(2 * width, width)))

    def forward(self, x, t):
        angles = t[:, None] * torch.exp(-torch.arange(64, device=x.device) / 7)
        when, y, kept = torch.cat([angles.cos(), angles.sin()], 1), self.inward(x), []
        for block in self.down:
            kept.append(block(y, when))
            y = F.avg_pool2d(kept[-1], 2)
        y = self.middle(y, when)
        for block in self.up:
            y = block(torch.cat([F.interpolate(y, scale_factor=2), kept.pop()], 1), when)
        return self.outward(y)


class DiffusionBlock(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.shift = nn.Linear(width, 6 * width)
        self.before, self.between = (nn.LayerNorm(width, elementwise_affine=False) for _ in range(2))

    def forward(self, x, when):
        a, b, c, d, e, f = self.shift(F.silu(when)).unsqueeze(1).chunk(6, dim=-1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
                   for t in self.qkv(self.before(x) * (1 + a) + b).chunk(3, dim=-1))
        x = x + c * self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))
        return x + d * self.down(F.gelu(self.up(self.between(x) * (1 + e) + f), approximate="tanh"))


class DiffusionTransformer(nn.Module):
    """Blocks whose shifts come from the time step, and a picture made of the result."""

    def __init__(self, blocks=8, width=512, heads=8, patch=2, channels=4):
        super().__init__()
        self.patches = nn.Conv2d(channels, width, patch, patch)
        self.when = nn.Sequential(nn.Linear(256, width), nn.SiLU(), nn.Linear(width, width))
        self.blocks = nn.ModuleList(DiffusionBlock(width, heads) for _ in range(blocks))
        self.last, self.out = nn.LayerNorm(width, elementwise_affine=False), nn.Linear(width, patch * patch * channels)
        self.patch = patch
        self.picture = nn.Sequential(*[part for _ in range(3) for part in (
            nn.Upsample(scale_factor=2), nn.Conv2d(channels, channels, 3, padding=1), nn.SiLU())])

    def forward(self, x, t):
        half = torch.exp(-torch.arange(128, device=x.device) / 14) * t
        when = self.when(torch.cat([half.cos(), half.sin()]).to(x.dtype).expand(x.shape[0], -1))
        rows = x.shape[-1] // self.patch
        y = self.patches(x).flatten(2).transpose(1, 2)
        for block in self.blocks:
            y = block(y, when)
        y = self.out(self.last(y)).view(x.shape[0], rows, rows, -1)
        return F.pixel_shuffle(y.permute(0, 3, 1, 2), self.patch)


class TwoWayCell(nn.Module):
    """A recurrent step that looks at the sequence from the other side every second time."""

    def __init__(self, width):
        super().__init__()
        self.gates, self.mix = nn.Linear(2 * width, 4 * width), nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x, h, c, flips):
        if flips:
            x = x.flip(0)
        i, f, g, o = self.gates(torch.cat([x, h], -1)).chunk(4, -1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
        h = self.norm(torch.sigmoid(o) * torch.tanh(c))
        return (h.flip(0) if flips else h) + self.mix(h), h, c


def parted(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


class Block(nn.Module):
    """Attention with heads of a given size and a gated MLP; gives back keys and values, which the caller keeps."""

    def __init__(self, width, size=64, is_causal=True):
        super().__init__()
        self.heads, self.is_causal = width // size, is_causal
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(2 * width, width, bias=False)
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)

    def attend(self, x, past=None):
        q, k, v = [parted(t, self.heads) for t in self.qkv(self.before(x)).chunk(3, dim=-1)]
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=self.is_causal and past is None)
        return x + self.out(seen.transpose(1, 2).flatten(2)), (k, v)

    def feed(self, x):
        gate, up = self.up(self.between(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)

    def forward(self, x, past=None):
        x, kept = self.attend(x, past)
        return self.feed(x), kept


class Stack(nn.Module):
    """A decoder made of blocks; their heads have the given sizes in turn."""

    def __init__(self, layers, width, sizes=(64,), vocabulary=8000):
        super().__init__()
        self.embedding, self.head = nn.Embedding(vocabulary, width), nn.Linear(width, vocabulary, bias=False)
        self.layers = nn.ModuleList(Block(width, sizes[i % len(sizes)]) for i in range(layers))
        self.last = nn.RMSNorm(width)

    def forward(self, given, past=None):
        x, kept = self.embedding(given), []
        for i, layer in enumerate(self.layers):
            x, seen = layer(x, None if past is None else past[i])
            kept.append(seen)
        return self.head(self.last(x)), kept
