"""Workloads of held_out.py: training, and training with inference between its steps."""

import copy

import torch
from torch import nn
from torch.nn import functional as F

import models
from recording import Layers, Recorder, mark_layers, scope
from scenarios import DEVICE, TYPE, llama, prefill_and_decode, words


def train(loss_of, update, micro_steps=1):
    """One step: forward and backward passes, then what changes the weights."""
    with scope("step"):
        for _ in range(micro_steps):
            with scope("micro"):
                with scope("forward"):
                    loss = loss_of()
                with scope("backward"), Layers.unmarked():
                    loss.backward()
        with scope("optimizer"):
            update()
    return loss


def updater(parameters, optimizers, schedulers=(), clip=None):
    parameters = list(parameters)

    def update():
        if clip:
            nn.utils.clip_grad_norm_(parameters, clip)
        for optimizer in optimizers:
            optimizer.step()
        for scheduler in schedulers:
            scheduler.step()
        for optimizer in optimizers:
            optimizer.zero_grad(set_to_none=True)
    return update


class Adapted(nn.Module):
    """A frozen matrix and a narrow detour that learns."""

    def __init__(self, frozen, rank=8):
        super().__init__()
        self.frozen = frozen
        self.inward = nn.Linear(frozen.in_features, rank, bias=False)
        self.outward = nn.Linear(rank, frozen.out_features, bias=False)

    def forward(self, x):
        return self.frozen(x) + 2 * self.outward(self.inward(x))


def adapters():
    """Llama of 6 layers, frozen but for adapters in its attention: 9 steps, clipped, a rate that changes."""
    model = llama(6, 512).train().requires_grad_(False)
    for layer in model.model.layers:  # what is put in learns, all else is frozen
        layer.self_attn.q_proj, layer.self_attn.v_proj = (
            Adapted(part).to(DEVICE, TYPE) for part in (layer.self_attn.q_proj, layer.self_attn.v_proj))
    mark_layers(model.model.layers)
    learned = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(learned, lr=1e-4)
    update = updater(learned, [optimizer], [torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 100)], clip=1.0)
    batch = words(4, 192)
    return lambda: [train(lambda: model(input_ids=batch, labels=batch, use_cache=False).loss, update)
                    for _ in range(9)]


def uneven_steps():
    """GPT-NeoX of 5 layers: a step has 1 to 4 micro-steps, as its documents come; 7 steps with Adam,
    clipped."""
    from transformers import GPTNeoXConfig, GPTNeoXForCausalLM
    model = GPTNeoXForCausalLM(GPTNeoXConfig(
        vocab_size=4000, hidden_size=512, num_hidden_layers=5, num_attention_heads=8, intermediate_size=1024,
        max_position_embeddings=512, use_cache=False)).to(DEVICE).train()
    mark_layers(model.gpt_neox.layers)
    update = updater(model.parameters(), [torch.optim.Adam(model.parameters(), lr=1e-4)], clip=1.0)
    batch = words(2, 160, 4000)

    def loss_of():
        with torch.autocast(DEVICE, TYPE):
            return model(input_ids=batch, labels=batch).loss
    return lambda: [train(loss_of, update, micro) for micro in (2, 1, 3, 2, 4, 1, 2)]


def looked_at_between():
    """GPT-2 of 5 layers: 4 training steps, then 3 passes of evaluation, three times; the host waits for losses."""
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(vocab_size=4000, n_embd=512, n_layer=5, n_head=8, use_cache=False)).to(DEVICE)
    mark_layers(model.transformer.h)
    update = updater(model.parameters(), [torch.optim.AdamW(model.parameters(), lr=1e-4)])
    batch, others = words(4, 128, 4000), words(8, 128, 4000)

    def loss_of():
        with torch.autocast(DEVICE, TYPE):
            return model(batch, labels=batch).loss

    def workload():
        for _ in range(3):
            model.train()
            for _ in range(4):
                train(loss_of, update)
            model.eval()
            with torch.no_grad(), torch.autocast(DEVICE, TYPE):
                losses = []
                for _ in range(3):
                    with scope("eval"):
                        losses.append(model(others, labels=others).loss)
                sum(losses).item()
    return workload


def rewarded():
    """Llama of 5 layers learns from what it says: a prefill, 8 decode passes and a training step, four times."""
    model = llama(5, 512)
    mark_layers(model.model.layers)
    update = updater(model.parameters(), [torch.optim.AdamW(model.parameters(), lr=1e-6, fused=True)], clip=1.0)
    prompt, said = words(4, 64), words(4, 72)

    def loss_of():
        out = model(said, use_cache=False).logits[:, 63:-1].float().log_softmax(-1)
        reward = torch.randn(4, 1, device=DEVICE)
        return -(out.gather(-1, said[:, 64:, None])[..., 0] * reward).mean()

    def workload():
        for _ in range(4):
            prefill_and_decode(model, prompt, 8)
            train(loss_of, update)
    return workload


def denoising():
    """A UNet of convolutions with attention in the middle learns to take noise away: 8 steps, a mean of the weights."""
    model = models.DiffusionUNet().to(DEVICE).train()
    mean = copy.deepcopy(model).requires_grad_(False)
    step = updater(model.parameters(), [torch.optim.AdamW(model.parameters(), lr=1e-4)])
    pictures = torch.randn(8, 4, 32, 32, device=DEVICE)

    def update():
        step()
        with torch.no_grad():
            torch._foreach_lerp_(list(mean.parameters()), list(model.parameters()), 0.001)

    def loss_of():
        noise, when = torch.randn_like(pictures), torch.rand(8, device=DEVICE)
        kept = (1 - when)[:, None, None, None]
        with torch.autocast(DEVICE, TYPE):
            return F.mse_loss(model(pictures * kept + noise * (1 - kept), when * 1000).float(), noise)
    return lambda: [train(loss_of, update) for _ in range(8)]


def contrast():
    """Two towers that learn from each other: 4 layers for texts, 3 wider ones for pictures, in every one of 8 steps."""
    def tower(count, width):
        return nn.ModuleList(nn.TransformerEncoderLayer(width, 8, 2 * width, 0.0, batch_first=True, norm_first=True)
                             for _ in range(count)).to(DEVICE)
    embedding, texts, pictures = nn.Embedding(4000, 256, device=DEVICE), tower(4, 256), tower(3, 512)
    patches, scale = nn.Conv2d(3, 512, 16, 16, device=DEVICE), nn.Parameter(torch.ones((), device=DEVICE))
    heads = nn.ModuleList((nn.Linear(256, 256), nn.Linear(512, 256))).to(DEVICE)
    mark_layers(texts)
    mark_layers(pictures)
    parts = nn.ModuleList((embedding, texts, pictures, patches, heads))
    learned = [*parts.parameters(), scale]
    update = updater(learned, [torch.optim.Adam(learned, lr=1e-4, fused=True)])
    words_seen, seen = words(32, 48, 4000), torch.randn(32, 3, 128, 128, device=DEVICE)

    def loss_of():
        with torch.autocast(DEVICE, TYPE):
            x, y = embedding(words_seen), patches(seen).flatten(2).transpose(1, 2)
            for layer in texts:
                x = layer(x)
            for layer in pictures:
                y = layer(y)
            x, y = (F.normalize(head(z.mean(1)), dim=-1) for head, z in zip(heads, (x, y)))
            likeness, own = scale.exp() * x @ y.T, torch.arange(32, device=DEVICE)
            return F.cross_entropy(likeness, own) + F.cross_entropy(likeness.T, own)
    return lambda: [train(loss_of, update) for _ in range(8)]


def masked_words():
    """BERT of 6 layers learns masked words: 10 marked steps (ProfilerStep), and the host runs ahead of the device."""
    from transformers import BertConfig, BertForMaskedLM
    model = BertForMaskedLM(BertConfig(vocab_size=8000, hidden_size=768, num_hidden_layers=6, num_attention_heads=12,
                                       intermediate_size=3072)).to(DEVICE).train()
    mark_layers(model.bert.encoder.layer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    update = updater(model.parameters(), [optimizer], [torch.optim.lr_scheduler.LinearLR(optimizer)], clip=1.0)
    batch = words(32, 256)

    def loss_of():
        masked = torch.rand(batch.shape, device=DEVICE) < 0.15
        with torch.autocast(DEVICE, TYPE):
            return model(batch.masked_fill(masked, 4), labels=batch.masked_fill(~masked, -100)).loss

    def workload():
        for _ in range(10):
            train(loss_of, update)
            Recorder.step()
    return workload


def gates():
    """A language model of 3 LSTM layers (cuDNN) over 32 words at a time: 12 steps with SGD, clipped."""
    embedding, cells = nn.Embedding(4000, 512), nn.LSTM(512, 512, 3, batch_first=True)
    model = nn.ModuleDict(dict(embedding=embedding, cells=cells, head=nn.Linear(512, 4000))).to(DEVICE)
    update = updater(model.parameters(), [torch.optim.SGD(model.parameters(), lr=0.1)], clip=0.25)
    batch, state = words(16, 33, 4000), []

    def loss_of():
        out, new = cells(embedding(batch[:, :-1]), tuple(state) or None)
        state[:] = [part.detach() for part in new]
        return F.cross_entropy(model["head"](out).flatten(0, 1), batch[:, 1:].flatten())
    return lambda: [train(loss_of, update) for _ in range(12)]


def two_optimizers():
    """Qwen2 of 4 layers: Muon for the matrices of its layers, AdamW for what is left, each with its rate; 7 steps."""
    from transformers import Qwen2Config, Qwen2ForCausalLM
    model = Qwen2ForCausalLM(Qwen2Config(
        vocab_size=4000, hidden_size=512, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=8,
        num_key_value_heads=4, use_cache=False)).to(DEVICE).train()
    mark_layers(model.model.layers)
    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    known = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in known]
    optimizers = [torch.optim.Muon(matrices, lr=1e-3), torch.optim.AdamW(others, lr=1e-4)]
    schedulers = [torch.optim.lr_scheduler.LinearLR(optimizer) for optimizer in optimizers]
    update, batch = updater(model.parameters(), optimizers, schedulers, clip=1.0), words(4, 128, 4000)

    def loss_of():
        with torch.autocast(DEVICE, TYPE):
            return model(input_ids=batch, labels=batch).loss
    return lambda: [train(loss_of, update) for _ in range(7)]


def fetched_ahead():
    """Convolutions over depth, 7 blocks in training: the next batch is copied and scaled on a stream of its own; 9
    steps."""
    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.over = nn.Conv2d(width, width, 7, padding=3, groups=width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
            self.norm = nn.LayerNorm(width)

        def forward(self, x):
            y = self.norm(self.over(x).permute(0, 2, 3, 1))
            return x + self.down(F.gelu(self.up(y))).permute(0, 3, 1, 2)
    stem, head = nn.Conv2d(3, 128, 4, 4, device=DEVICE), nn.Linear(128, 100, device=DEVICE)
    blocks = nn.ModuleList(Block(128) for _ in range(7)).to(DEVICE)
    mark_layers(blocks)
    learned = [*stem.parameters(), *blocks.parameters(), *head.parameters()]
    update = updater(learned, [torch.optim.SGD(learned, lr=0.01, momentum=0.9)])
    host = [torch.randint(256, (32, 3, 128, 128), dtype=torch.uint8).pin_memory() for _ in range(2)]
    wanted, side = torch.randint(100, (32,), device=DEVICE), torch.cuda.Stream()

    def fetch(step):
        with torch.cuda.stream(side):
            return host[step % 2].to(DEVICE, non_blocking=True).float().div_(255).sub_(0.5)

    def workload():
        ready = fetch(0)
        for step in range(9):
            torch.cuda.current_stream().wait_stream(side)
            x = ready
            x.record_stream(torch.cuda.current_stream())
            ready = fetch(step + 1)

            def loss_of():
                with torch.autocast(DEVICE, TYPE):
                    y = stem(x)
                    for block in blocks:
                        y = block(y)
                    return F.cross_entropy(head(y.mean((2, 3))), wanted)
            train(loss_of, update)
    return workload


def neighbours():
    """A graph network of 4 layers that gathers from neighbours, in training: 9 steps, each with another graph."""
    class Layer(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.own, self.near, self.norm = nn.Linear(width, width), nn.Linear(width, width), nn.LayerNorm(width)

        def forward(self, x, source, target):
            near = torch.zeros_like(x).index_add_(0, target, x[source])
            count = torch.zeros(len(x), 1, device=x.device).index_add_(0, target, x.new_ones(len(target), 1))
            return x + F.relu(self.norm(self.own(x) + self.near(near / count.clamp(min=1))))
    layers, head = nn.ModuleList(Layer(128) for _ in range(4)).to(DEVICE), nn.Linear(128, 10, device=DEVICE)
    mark_layers(layers)
    learned = [*layers.parameters(), *head.parameters()]
    update = updater(learned, [torch.optim.Adam(learned, lr=1e-3)])
    graphs = [(torch.randn(nodes, 128, device=DEVICE), *torch.randint(nodes, (2, 6 * nodes), device=DEVICE),
               torch.randint(10, (nodes,), device=DEVICE)) for nodes in range(2000, 6500, 500)]

    def workload():
        for x, source, target, wanted in graphs:
            def loss_of():
                y = x
                for layer in layers:
                    y = layer(y, source, target)
                return F.cross_entropy(head(y), wanted)
            train(loss_of, update)
    return workload
