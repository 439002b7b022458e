"""Workloads of the set of later.py: training."""

import torch
import triton
import triton.language as tl
from torch import nn
from torch.nn import functional as F

from fresh_training import loss_on
from held_out_models import padded
from held_out_training import train, updater
from models import Block, Stack
from recording import Layers, Recorder, mark_layers, scope
from scenarios import DEVICE, TYPE, llama, words


def translations():
    """T5 in training, an encoder of 5 layers and a decoder of 3: 6 steps, each with a padded batch of another length,
    AdamW, clipped, a rate that changes; the host reads the loss of each step."""
    from transformers import T5Config, T5ForConditionalGeneration
    model = T5ForConditionalGeneration(T5Config(
        vocab_size=4000, d_model=384, d_kv=64, d_ff=1024, num_layers=5, num_decoder_layers=3, num_heads=6,
        decoder_start_token_id=0)).to(DEVICE, TYPE).train()
    mark_layers(model.encoder.block)
    mark_layers(model.decoder.block)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    update = updater(model.parameters(), [optimizer], [scheduler], clip=1.0)
    batches = []
    for rows, read, said in ((12, 96, 80), (8, 170, 131), (16, 64, 72), (10, 120, 101), (6, 230, 190), (14, 88, 60)):
        batch = padded(rows, read)
        batch["input_ids"] %= 4000
        answer = padded(rows, said)
        answer = (answer["input_ids"] % 4000).masked_fill(answer["attention_mask"] == 0, -100)
        batches.append(dict(batch, labels=answer))
    return lambda: [train(lambda: model(**batch, use_cache=False).loss, update).item() for batch in batches]


class Experts(nn.Module):
    """Each word goes to two of the experts; they run one after another, each over the words that chose it."""

    def __init__(self, width, count):
        super().__init__()
        self.router, self.uneven = nn.Linear(width, count, bias=False), None
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
                                     for _ in range(count))

    def forward(self, x):
        rows = x.flatten(0, 1)
        likely = self.router(rows).float().softmax(-1)
        weights, chosen = likely.topk(2)
        told = torch.zeros_like(rows)
        for number, expert in enumerate(self.experts):
            row, place = (chosen == number).nonzero(as_tuple=True)  # the host waits to know how many
            told = told.index_add(0, row, expert(rows[row]) * weights[row, place, None].to(x.dtype))
        shares = F.one_hot(chosen, len(self.experts)).float().mean((0, 1))
        self.uneven = (shares * likely.mean(0)).sum() * len(self.experts)
        return told.view_as(x)


class ExpertBlock(Block):
    def __init__(self, width, count):
        super().__init__(width)
        self.experts = Experts(width, count)
        del self.up, self.down

    def feed(self, x):
        return x + self.experts(self.between(x))


def chosen_experts():
    """A decoder of 4 layers with 6 experts each in training, two for a word, with a term that evens their shares: 5
    steps, no two alike; fused AdamW with two groups of parameters, one of which decays."""
    model = Stack(4, 512, vocabulary=4000)
    model.layers = nn.ModuleList(ExpertBlock(512, 6) for _ in range(4))
    model = model.to(DEVICE, TYPE).train()
    mark_layers(model.layers)
    groups = [dict(params=[p for p in model.parameters() if p.ndim == 2], weight_decay=0.1),
              dict(params=[p for p in model.parameters() if p.ndim == 1], weight_decay=0.0)]
    update = updater(model.parameters(), [torch.optim.AdamW(groups, lr=1e-4, fused=True)], clip=1.0)
    batches = [words(4, 145, 4000) for _ in range(5)]

    def loss_of(batch):
        return loss_on(model, batch) + 0.01 * sum(layer.experts.uneven for layer in model.layers)
    return lambda: [train(lambda: loss_of(batch), update) for batch in batches]


@triton.jit
def widen_four_bits(packed, levels, scales, out, block: tl.constexpr):
    """Two numbers of a byte are places in a table of 16 levels; 64 of them share a scale."""
    at = tl.program_id(0) * block + tl.arange(0, block)
    pair = tl.load(packed + at // 2).to(tl.int32)
    number = tl.where(at % 2 == 0, pair // 16, pair % 16)
    tl.store(out + at, tl.load(levels + number) * tl.load(scales + at // 64))


class FourBits(nn.Module):
    """A frozen matrix of 4 bits a number, widened for each product, and a narrow detour that learns."""

    def __init__(self, plain, rank=16):
        super().__init__()
        rows = plain.weight.detach().float().reshape(-1, 64)
        levels, scales = torch.linspace(-1, 1, 16, device=DEVICE), rows.abs().amax(1)
        number = torch.bucketize(rows / scales[:, None], (levels[1:] + levels[:-1]) / 2).flatten()
        self.shape = plain.weight.shape
        self.register_buffer("packed", (number[::2] * 16 + number[1::2]).to(torch.uint8))
        self.register_buffer("levels", levels)
        self.register_buffer("scales", scales)
        self.inward = nn.Linear(plain.in_features, rank, bias=False, device=DEVICE)
        self.outward = nn.Linear(rank, plain.out_features, bias=False, device=DEVICE)

    def forward(self, x):
        weight = torch.empty(self.shape, device=x.device, dtype=TYPE)
        widen_four_bits[(weight.numel() // 1024,)](self.packed, self.levels, self.scales, weight, 1024)
        return F.linear(x, weight) + 2 * self.outward(self.inward(x))


def four_bits():
    """Llama of 5 layers, its matrices frozen in 4 bits, with adapters in float32 at all of them (QLoRA): each layer is
    checkpointed, autocast to bfloat16, a GradScaler for which the host waits, AdamW, clipped; 5 steps."""
    model = llama(5, 512).train().requires_grad_(False)
    model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    for layer in model.model.layers:
        for part in (layer.self_attn, layer.mlp):
            for name, matrix in list(part.named_children()):
                if isinstance(matrix, nn.Linear):
                    setattr(part, name, FourBits(matrix))
    mark_layers(model.model.layers)
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer, scaler, batch = torch.optim.AdamW(learned, lr=1e-4), torch.amp.GradScaler(DEVICE), words(3, 160)

    def loss_of():
        with torch.autocast(DEVICE, TYPE):
            return scaler.scale(model(input_ids=batch, labels=batch, use_cache=False).loss)

    def update():
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(learned, 0.3)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
    return lambda: [train(loss_of, update) for _ in range(5)]


def graphed_steps():
    """A decoder of 6 layers in training, the whole step (forward, backward, clipping and fused AdamW) captured by hand
    as one CUDA graph: 9 steps, each with another batch that is copied in; the host never waits."""
    model = Stack(6, 640, vocabulary=4000).to(DEVICE, TYPE).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True, capturable=True)
    batch, others = words(4, 129, 4000), [words(4, 129, 4000) for _ in range(9)]

    def step():
        loss = loss_on(model, batch)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(3):
            step()
            optimizer.zero_grad(set_to_none=True)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):  # gradients come into its own memory, and each replay writes them anew
        loss = step()

    def workload():
        for other in others:
            with scope("step*6"):
                batch.copy_(other)
                graph.replay()
    workload.reads = model, optimizer, loss  # a graph does not keep what it reads
    return workload


def sharpness():
    """A vision transformer of 6 layers that looks for flat places (SAM): in each of 5 steps a forward and a backward
    pass, weights go uphill, a second forward and backward pass there, back, then SGD with momentum; pictures are mixed
    in pairs, the host never waits."""
    layers = nn.ModuleList(nn.TransformerEncoderLayer(384, 6, 1536, 0.0, "gelu", batch_first=True, norm_first=True)
                           for _ in range(6))
    patches, last, head = nn.Conv2d(3, 384, 16, 16), nn.LayerNorm(384), nn.Linear(384, 100)
    model = nn.ModuleList((patches, layers, last, head)).to(DEVICE).train()
    mark_layers(layers)
    learned, places = list(model.parameters()), torch.randn(1, 196, 384, device=DEVICE)
    optimizer = torch.optim.SGD(learned, lr=0.01, momentum=0.9, nesterov=True, weight_decay=1e-4)
    seen, kinds = torch.randn(16, 3, 224, 224, device=DEVICE), torch.randint(100, (16,), device=DEVICE)

    def pass_over(pictures, share):
        with scope("micro"):
            with scope("forward"), torch.autocast(DEVICE, TYPE):
                x = patches(pictures).flatten(2).transpose(1, 2) + places
                for layer in layers:
                    x = layer(x)
                said = head(last(x).mean(1))
                loss = share * F.cross_entropy(said, kinds) + (1 - share) * F.cross_entropy(said, kinds.flip(0))
            with scope("backward"), Layers.unmarked():
                loss.backward()

    def climb():
        with torch.no_grad():
            gradients = [p.grad for p in learned]
            length = torch.stack(torch._foreach_norm(gradients)).norm() + 1e-12
            steps = torch._foreach_mul(gradients, 0.05 / length)
            torch._foreach_add_(learned, steps)
        optimizer.zero_grad(set_to_none=True)
        return steps

    def workload():
        for number in range(5):
            share = 0.5 + 0.1 * number
            with scope("step"):
                pictures = share * seen + (1 - share) * seen.flip(0)
                pass_over(pictures, share)
                with scope("climb"):
                    steps = climb()
                pass_over(pictures, share)
                with scope("optimizer"), torch.no_grad():
                    torch._foreach_sub_(learned, steps)
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
    return workload


def recommended():
    """What people may like (DLRM): 6 tables of which a batch reads few rows, 3 matrices before and 3 behind the
    products of all pairs, no attention; SparseAdam for the tables and Adagrad for what is left, 10 marked steps
    (ProfilerStep), batches are copied from the host."""
    def matrices(*widths):
        return nn.Sequential(*[part for a, b in zip(widths, widths[1:]) for part in (nn.Linear(a, b), nn.ReLU())][:-1])
    tables = nn.ModuleList(nn.EmbeddingBag(rows, 64, mode="sum", sparse=True)
                           for rows in (40000, 3000, 900, 12000, 150, 25000)).to(DEVICE)
    known, judge = matrices(13, 512, 256, 64).to(DEVICE), matrices(64 + 21, 256, 128, 1).to(DEVICE)
    dense = [*known.parameters(), *judge.parameters()]
    update = updater(dense, [torch.optim.SparseAdam(list(tables.parameters()), lr=1e-3),
                             torch.optim.Adagrad(dense, lr=0.01)])
    one, other = torch.triu_indices(7, 7, 1, device=DEVICE)
    begins = torch.arange(0, 512 * 8, 8, device=DEVICE)
    batches = [(torch.randn(512, 13).pin_memory(),
                torch.stack([torch.randint(table.num_embeddings, (512 * 8,)) for table in tables]).pin_memory(),
                torch.randint(2, (512,)).float().pin_memory()) for _ in range(3)]

    def loss_of(batch):
        facts, rows, wanted = (part.to(DEVICE, non_blocking=True) for part in batch)
        x = known(facts)
        together = torch.stack([x, *(table(row, begins) for table, row in zip(tables, rows))], 1)
        pairs = (together @ together.transpose(1, 2))[:, one, other]
        return F.binary_cross_entropy_with_logits(judge(torch.cat([x, pairs], 1))[:, 0], wanted)

    def workload():
        for number in range(10):
            train(lambda: loss_of(batches[number % 3]), update)
            Recorder.step()
    return workload


ALL = [translations, chosen_experts, four_bits, graphed_steps, sharpness, recommended]
