"""Workloads of the set of later.py: sounds and pictures."""

import torch
from torch import nn
from torch.nn import functional as F

from fresh import AskedBlock
from models import Block, ResidualBlock
from recording import mark_layers, scope
from scenarios import DEVICE, TYPE, words


def through(layers, x, past):
    kept = []
    for layer, seen in zip(layers, past or [None] * len(layers)):
        x, new = layer(x, seen)
        kept.append(new)
    return x, kept


def spoken():
    """Speech from text: 9 layers read 120 words; for each sound 4 small layers say 6 codes of it one after another, a
    decode pass each, then the 9 layers see it, a decode pass; 5 sounds, convolutions make a wave of all; then another
    text of 70 words and 4 sounds."""
    model = nn.ModuleDict(dict(
        words=nn.Embedding(8000, 768), sounds=nn.Embedding(6 * 1024, 768), codes=nn.Embedding(6 * 1024, 384),
        large=nn.ModuleList(Block(768) for _ in range(9)), small=nn.ModuleList(Block(384) for _ in range(4)),
        bridge=nn.Linear(768, 384), heads=nn.ModuleList(nn.Linear(384, 1024) for _ in range(6)),
        wave=nn.Sequential(nn.ConvTranspose1d(384, 128, 8, 4, 2), nn.ELU(), nn.ConvTranspose1d(128, 64, 8, 4, 2),
                           nn.ELU(), nn.ConvTranspose1d(64, 1, 8, 4, 2), nn.Tanh()))).to(DEVICE, TYPE).eval()
    mark_layers(model["large"])
    mark_layers(model["small"])
    requests = [(words(1, 120), 5), (words(1, 70), 4)]

    def say_codes(x):
        said, past, y = [], None, None
        for i, head in enumerate(model["heads"]):
            with scope("decode"):
                y = model["codes"](said[-1]) if said else model["bridge"](x)
                y, past = through(model["small"], y, past)
                said.append(torch.multinomial(head(y[:, -1]).float().softmax(-1), 1) + 1024 * i)
        return torch.cat(said, 1)

    def workload():
        with torch.no_grad():
            for prompt, count in requests:
                with scope("prefill"):
                    x, past = through(model["large"], model["words"](prompt), None)
                sounds = []
                for _ in range(count):
                    sounds.append(say_codes(x[:, -1:]))
                    with scope("decode"):
                        x, past = through(model["large"], model["sounds"](sounds[-1]).sum(1, keepdim=True), past)
                with scope("sound"):
                    model["wave"](model["codes"](torch.stack(sounds, 1)).sum(2).transpose(1, 2)).float().cpu()
    return workload


class Level(nn.Module):
    """Convolutions shifted by the time and, where a text has a width, what looks at the picture and at the text."""

    def __init__(self, before, width, text=0):
        super().__init__()
        self.change = ResidualBlock(before, width)
        self.told, self.ask = (nn.Linear(text, width), AskedBlock(width)) if text else (None, None)

    def forward(self, x, when, text):
        x = self.change(x, when)
        if self.ask is None:
            return x
        return self.ask(x.flatten(2).transpose(1, 2), self.told(text)).transpose(1, 2).view_as(x)


class AskedUNet(nn.Module):
    """Three levels down, a middle and three up, all but the largest ones with attention."""

    def __init__(self, text):
        super().__init__()
        self.inward, self.outward = nn.Conv2d(4, 128, 3, padding=1), nn.Conv2d(128, 4, 3, padding=1)
        self.down = nn.ModuleList((Level(128, 128), Level(128, 192, text), Level(192, 320, text)))
        self.middle = Level(320, 320, text)
        self.up = nn.ModuleList((Level(640, 192, text), Level(384, 128, text), Level(256, 128)))

    def forward(self, x, time, text):
        angles = time * torch.exp(-torch.arange(64, device=x.device) / 7)
        when = torch.cat([angles.cos(), angles.sin()])[None].to(x.dtype)
        y, kept = self.inward(x), []
        for part in self.down:
            kept.append(part(y, when, text))
            y = F.avg_pool2d(kept[-1], 2)
        y = self.middle(y, when, text)
        for part in self.up:
            y = part(torch.cat([F.interpolate(y, scale_factor=2), kept.pop()], 1), when, text)
        return self.outward(y)


def drawn_by_words():
    """Two pictures by a UNet in half precision, channels last: T5's encoder of 5 layers for the text and for none, 9
    steps (Euler) of one pass for both at once (guidance without a classifier), and convolutions that make the
    picture."""
    from transformers import T5Config, T5EncoderModel
    kind = torch.float16
    reader = T5EncoderModel(T5Config(vocab_size=8000, d_model=384, d_kv=64, d_ff=1024, num_layers=5,
                                     num_heads=6)).to(DEVICE, kind).eval()
    model = AskedUNet(384).to(DEVICE, kind).to(memory_format=torch.channels_last).eval()
    picture = nn.Sequential(nn.Conv2d(4, 64, 3, padding=1), *[part for _ in range(3) for part in (
        nn.GroupNorm(8, 64), nn.SiLU(), nn.Upsample(scale_factor=2), nn.Conv2d(64, 64, 3, padding=1))],
        nn.Conv2d(64, 3, 3, padding=1)).to(DEVICE, kind).to(memory_format=torch.channels_last).eval()
    mark_layers(reader.encoder.block)
    noise, noisy = torch.randn(1, 4, 48, 48, device=DEVICE, dtype=kind), torch.linspace(14, 0.03, 10).tolist()
    prompts = [words(2, 64), words(2, 64)]

    def workload():
        with torch.no_grad():
            for prompt in prompts:
                with scope("encoder"):
                    text = reader(input_ids=prompt).last_hidden_state
                x = noise * noisy[0]
                for now, then in zip(noisy, noisy[1:]):
                    with scope("pass"):
                        both = (torch.cat([x, x]) / (now * now + 1) ** 0.5).to(memory_format=torch.channels_last)
                        asked, plain = model(both, 70 * now, text).chunk(2)
                        x = x + (then - now) * (plain + 7 * (asked - plain))
                with scope("picture"):
                    picture(x).clamp(-1, 1).float().cpu()
    return workload


def watched_frames():
    """Things found in pictures (DETR's way): 5 convolutions, an encoder of 3 layers and a decoder of 5 with 100
    queries, in each of 14 passes over 2 pictures; the next ones are copied on a stream of their own meanwhile, the host
    never waits, and there is no annotation."""
    widths = (3, 32, 64, 128, 256, 256)
    model = nn.ModuleDict(dict(
        eyes=nn.Sequential(*[part for a, b in zip(widths, widths[1:]) for part in (
            nn.Conv2d(a, b, 3, 2, 1, bias=False), nn.BatchNorm2d(b), nn.ReLU())]),
        encoder=nn.ModuleList(nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True) for _ in range(3)),
        decoder=nn.ModuleList(nn.TransformerDecoderLayer(256, 8, 1024, batch_first=True) for _ in range(5)),
        kinds=nn.Linear(256, 92), boxes=nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 4))))
    model = model.to(DEVICE, TYPE).eval()
    mark_layers(model["encoder"])
    mark_layers(model["decoder"])
    queries = torch.randn(2, 100, 256, device=DEVICE, dtype=TYPE)
    host = [torch.randint(256, (2, 3, 320, 320), dtype=torch.uint8).pin_memory() for _ in range(3)]
    side = torch.cuda.Stream()

    def fetch(number):
        with torch.cuda.stream(side):
            return host[number % 3].to(DEVICE, non_blocking=True), side.record_event()

    def run(frames):
        rows = model["eyes"](((frames.float() / 255 - 0.45) / 0.22).to(TYPE)).flatten(2).transpose(1, 2)
        for layer in model["encoder"]:
            rows = layer(rows)
        x = queries
        for layer in model["decoder"]:
            x = layer(x, rows)
        likely, kinds = model["kinds"](x).float().softmax(-1)[..., :-1].max(-1)
        middle, size = model["boxes"](x).float().sigmoid().chunk(2, dim=-1)
        best = likely.topk(20).indices
        corners = torch.cat([middle - size / 2, middle + size / 2], -1)
        return kinds.gather(1, best), corners.gather(1, best[..., None].expand(-1, -1, 4))

    def workload():
        with torch.no_grad():
            found, ready = [], fetch(0)
            for number in range(14):
                frames, is_there = ready
                torch.cuda.current_stream().wait_event(is_there)
                frames.record_stream(torch.cuda.current_stream())
                ready = fetch(number + 1)
                with scope("pass"):
                    found.append(run(frames))
    return workload


ALL = [spoken, drawn_by_words, watched_frames]
