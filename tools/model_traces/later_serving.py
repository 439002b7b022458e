"""Workload of the set of later.py: a server with kernels of its own, pages for what is kept, and CUDA graphs."""

import torch
import triton
import triton.language as tl
from torch import nn

from recording import Layers, mark_layers, scope
from scenarios import DEVICE, TYPE, words

WIDTH, HIDDEN, HEADS, GROUPS, SIZE, VOCABULARY = 768, 1536, 12, 4, 64, 8000
# Words of a page, pages of a request, and most requests of a decode pass.
PAGE, ROOM, MOST = 16, 17, 8


@triton.jit
def add_and_norm(x, rest, weight, out, width: tl.constexpr, block: tl.constexpr):
    """Adds a row to what came before and normalizes the sum."""
    row = tl.program_id(0)
    columns = tl.arange(0, block)
    is_there = columns < width
    total = tl.load(x + row * width + columns, mask=is_there, other=0.0).to(tl.float32)
    total += tl.load(rest + row * width + columns, mask=is_there, other=0.0).to(tl.float32)
    tl.store(rest + row * width + columns, total, mask=is_there)
    scale = 1 / tl.sqrt(tl.sum(total * total, 0) / width + 1e-6)
    scaled = total * scale * tl.load(weight + columns, mask=is_there, other=0.0).to(tl.float32)
    tl.store(out + row * width + columns, scaled, mask=is_there)


@triton.jit
def gate_and_up(x, out, hidden: tl.constexpr, block: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, block)
    is_there = columns < hidden
    gate = tl.load(x + row * 2 * hidden + columns, mask=is_there, other=0.0).to(tl.float32)
    up = tl.load(x + row * 2 * hidden + hidden + columns, mask=is_there, other=0.0).to(tl.float32)
    tl.store(out + row * hidden + columns, gate * tl.sigmoid(gate) * up, mask=is_there)


@triton.jit
def turn_and_keep(qkv, places, slots, keys, values, heads: tl.constexpr, groups: tl.constexpr, size: tl.constexpr):
    """Turns queries and keys by their place, and puts keys and values where their pages say."""
    word = tl.program_id(0)
    head = tl.program_id(1)
    half = tl.arange(0, size // 2)
    at = qkv + (word * (heads + 2 * groups) + head) * size + half
    first = tl.load(at).to(tl.float32)
    second = tl.load(at + size // 2).to(tl.float32)
    if head < heads + groups:
        angle = tl.load(places + word).to(tl.float32) * tl.exp(half.to(tl.float32) * (-18.0 / size))
        cos = tl.cos(angle)
        sin = tl.sin(angle)
        turned = first * cos - second * sin
        second = second * cos + first * sin
        first = turned
        tl.store(at, first)
        tl.store(at + size // 2, second)
    if head >= heads:
        row = (tl.load(slots + word) * groups + (head - heads) % groups) * size + half
        if head < heads + groups:
            tl.store(keys + row, first)
            tl.store(keys + row + size // 2, second)
        else:
            tl.store(values + row, first)
            tl.store(values + row + size // 2, second)


@triton.jit
def paged_attention(qkv, keys, values, lengths, tables, out, heads: tl.constexpr, groups: tl.constexpr,
                    size: tl.constexpr, page: tl.constexpr, most_requests: tl.constexpr):
    """One word of each request looks at all pages of the request."""
    request = tl.program_id(0)
    head = tl.program_id(1)
    columns = tl.arange(0, size)
    inside = tl.arange(0, page)
    length = tl.load(lengths + request)
    query = tl.load(qkv + (request * (heads + 2 * groups) + head) * size + columns).to(tl.float32) * 0.125
    highest = float("-inf")
    total = 0.0
    seen = tl.zeros([size], tl.float32)
    for begin in range(0, length, page):
        slot = tl.load(tables + begin // page * most_requests + request) * page + inside
        at = (slot[:, None] * groups + head // (heads // groups)) * size + columns[None, :]
        score = tl.sum(tl.load(keys + at).to(tl.float32) * query[None, :], 1)
        score = tl.where(begin + inside < length, score, float("-inf"))
        higher = tl.maximum(highest, tl.max(score, 0))
        weight = tl.exp(score - higher)
        fade = tl.exp(highest - higher)
        total = total * fade + tl.sum(weight, 0)
        seen = seen * fade + tl.sum(weight[:, None] * tl.load(values + at).to(tl.float32), 0)
        highest = higher
    tl.store(out + (request * heads + head) * size + columns, seen / total)


class PagedLayer(nn.Module):
    def __init__(self, pages):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, (HEADS + 2 * GROUPS) * SIZE, bias=False)
        self.out, self.up = nn.Linear(WIDTH, WIDTH, bias=False), nn.Linear(WIDTH, 2 * HIDDEN, bias=False)
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)
        self.before, self.between = nn.Parameter(torch.ones(WIDTH)), nn.Parameter(torch.ones(WIDTH))
        self.register_buffer("keys", torch.zeros(pages * PAGE, GROUPS, SIZE))
        self.register_buffer("values", torch.zeros(pages * PAGE, GROUPS, SIZE))

    def forward(self, x, rest, places, slots, attend):
        qkv = self.qkv(normed(x, rest, self.before)).view(len(x), HEADS + 2 * GROUPS, SIZE)
        turn_and_keep[(len(x), HEADS + 2 * GROUPS)](qkv, places, slots, self.keys, self.values, HEADS, GROUPS, SIZE,
                                                    num_warps=1)
        both = self.up(normed(self.out(attend(qkv, self.keys, self.values)), rest, self.between))
        inner = both.new_empty(len(x), HIDDEN)
        gate_and_up[(len(x),)](both, inner, HIDDEN, triton.next_power_of_2(HIDDEN))
        return self.down(inner)


def normed(x, rest, weight):
    out = torch.empty_like(x)
    add_and_norm[(len(x),)](x, rest, weight, out, WIDTH, triton.next_power_of_2(WIDTH))
    return out


class PagedDecoder(nn.Module):
    """What a server runs over words of several requests in one row; attend tells how they look at each other."""

    def __init__(self, layers, pages):
        super().__init__()
        self.embedding, self.head = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.layers = nn.ModuleList(PagedLayer(pages) for _ in range(layers))
        self.last = nn.Parameter(torch.ones(WIDTH))

    def forward(self, given, places, slots, attend, rows=None):
        x = self.embedding(given)
        rest = torch.zeros_like(x)
        for layer in self.layers:
            x = layer(x, rest, places, slots, attend)
        x = normed(x, rest, self.last)
        return self.head(x if rows is None else x[rows]).argmax(-1)


def packed(bounds, longest):
    """Attention of whole prompts that stand behind each other in one row."""
    def attend(qkv, _keys, _values):
        q, k, v = qkv.split([HEADS, GROUPS, GROUPS], dim=1)
        return torch.ops.aten._flash_attention_forward(q, k, v, bounds, bounds, longest, longest, 0.0, True,
                                                       False)[0].flatten(1)
    return attend


def paged(lengths, tables):
    def attend(qkv, keys, values):
        out = torch.empty(len(qkv), WIDTH, device=qkv.device, dtype=qkv.dtype)
        paged_attention[(len(qkv), HEADS)](qkv, keys, values, lengths, tables, out, HEADS, GROUPS, SIZE, PAGE, MOST)
        return out
    return attend


def captured(run, pool):
    """A CUDA graph of what runs, and what it gives back."""
    with torch.no_grad(), Layers.unmarked():
        torch.cuda.synchronize()
        with torch.cuda.stream(torch.cuda.Stream()):
            run()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, pool=pool):
            said = run()
    return graph, said


def paged_server():
    """A server of 10 layers as engines run them: fused kernels (Triton), keys and values in pages of 16 words, prompts
    that come together are read in one row (5 prefills of 1 to 3 prompts), 16 decode passes of 1 to 6 requests that join
    and leave; these are CUDA graphs for 1, 2, 4 and 8 requests, and the host reads every word."""
    requests = [(0, 180, 9), (0, 60, 14), (2, 250, 6), (3, 33, 12), (3, 120, 4), (3, 75, 10), (8, 200, 7), (11, 48, 5)]
    unused = len(requests) * ROOM  # a page for rows of a graph that no request has
    model = PagedDecoder(10, unused + 1).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    prompts = [words(1, length)[0].int() for _, length, _ in requests]
    pages = torch.randperm(unused).view(len(requests), ROOM).tolist()
    # Rows: the word, its place, its slot, the length with it, and the pages; a column for each request.
    idle = [0, 0, unused * PAGE, 1] + [unused] * ROOM
    inputs = torch.tensor([idle] * MOST, dtype=torch.int32).T.contiguous().to(DEVICE)
    pool, graphs = torch.cuda.graph_pool_handle(), {}
    for size in (8, 4, 2, 1):
        graphs[size] = captured(lambda count=size: model(
            inputs[0, :count], inputs[1, :count], inputs[2, :count], paged(inputs[3], inputs[4:])), pool)

    def slot(request, place):
        return pages[request][place // PAGE] * PAGE + place % PAGE

    def prefill(new):
        lengths = [requests[i][1] for i in new]
        bounds = torch.tensor([0] + lengths).cumsum(0).int().to(DEVICE)
        places = torch.tensor([place for length in lengths for place in range(length)], dtype=torch.int32)
        slots = [slot(i, place) for i, length in zip(new, lengths) for place in range(length)]
        return model(torch.cat([prompts[i] for i in new]), places.to(DEVICE),
                     torch.tensor(slots, dtype=torch.int32).to(DEVICE), packed(bounds, max(lengths)),
                     bounds[1:] - 1).tolist()

    def decode(active):
        columns = [[word, place, slot(i, place), place + 1] + pages[i] for i, (word, place, _) in active.items()]
        inputs.copy_(torch.tensor(columns + [idle] * (MOST - len(columns)), dtype=torch.int32).T.contiguous())
        graph, said = graphs[min(size for size in graphs if size >= len(active))]
        graph.replay()
        return said.tolist()

    def workload():
        with torch.no_grad():
            active = {}
            for step in range(16):
                new = [i for i, (comes, _, _) in enumerate(requests) if comes == step]
                if new:
                    with scope("prefill"):
                        for i, word in zip(new, prefill(new)):
                            active[i] = word, requests[i][1], requests[i][2]
                with scope("decode*10"):
                    said = decode(active)
                active = {i: (word, place + 1, left - 1)
                          for (i, (_, place, left)), word in zip(active.items(), said) if left > 1}
    return workload


ALL = [paged_server]
