"""Small models that libraries do not have in the shape that is needed here. Weights are random."""

import torch
from torch import nn
from torch.nn import functional as F


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
