"""Workloads of the set of fresh.py: training."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.checkpoint import checkpoint

from held_out_training import train, updater
from models import Stack
from recording import Recorder, mark_layers, scope
from scenarios import DEVICE, TYPE, words


def loss_on(model, batch):
    logits, _ = model(batch[:, :-1])
    return F.cross_entropy(logits.flatten(0, 1).float(), batch[:, 1:].flatten())


def sgd_by_hand(parameters, rate=0.01):
    """Momentum and decay, one weight after another."""
    parameters = list(parameters)
    momenta = [torch.zeros_like(p) for p in parameters]

    @torch.no_grad()
    def update():
        for p, momentum in zip(parameters, momenta):
            momentum.mul_(0.9).add_(p.grad.add(p, alpha=0.01))
            p.add_(momentum, alpha=-rate)
            p.grad = None
    return update


def adafactor_by_hand(parameters, rate=1e-3):
    """Keeps of the squares of a matrix only what its rows and its columns have in common."""
    parameters = list(parameters)
    squares = [[torch.zeros(size, device=DEVICE) for size in p.shape] for p in parameters]

    @torch.no_grad()
    def update():
        for p, means in zip(parameters, squares):
            gradient = p.grad.float()
            square = gradient * gradient + 1e-30
            if p.ndim == 2:
                rows, columns = means
                rows.lerp_(square.mean(1), 0.1)
                columns.lerp_(square.mean(0), 0.1)
                change = gradient * torch.outer(rows / rows.mean(), columns).rsqrt()
            else:
                change = gradient * means[0].lerp_(square, 0.1).rsqrt()
            change /= (change.norm() / change.numel() ** 0.5).clamp(min=1)
            p.add_(change, alpha=-rate)
            p.grad = None
    return update


class Recomputed(Stack):
    """Keeps only what comes into each layer."""

    def forward(self, given, past=None):
        x = self.embedding(given)
        for layer in self.layers:
            x = checkpoint(lambda y, layer=layer: layer(y)[0], x, use_reentrant=True)
        return self.head(self.last(x)), None


def recomputed():
    """A decoder of 6 layers in bfloat16 without autocast, each layer checkpointed the reentrant way; SGD by hand,
    weight after weight, 7 steps."""
    model = Recomputed(6, 512, vocabulary=4000).to(DEVICE, TYPE).train()
    mark_layers(model.layers)
    update, batch = sgd_by_hand(model.parameters()), words(4, 193, 4000)
    return lambda: [train(lambda: loss_on(model, batch), update) for _ in range(7)]


def odd_last_batch():
    """A decoder of 3 layers, two rounds over 8 batches, 3 of them a step, so that the last step has 2, and the last
    batch is smaller; Adafactor by hand; steps are marked (ProfilerStep)."""
    model = Stack(3, 512, vocabulary=4000).to(DEVICE, TYPE).train()
    mark_layers(model.layers)
    update, batches = adafactor_by_hand(model.parameters()), [words(8, 129, 4000)] * 7 + [words(3, 129, 4000)]

    def workload():
        for _ in range(2):
            left = iter(batches)
            for micro_steps in (3, 3, 2):
                train(lambda: loss_on(model, next(left)), update, micro_steps)
                Recorder.step()
    return workload


def taught():
    """A decoder of 4 layers learns to say what another of 8 says: in each of 8 steps that one's forward pass, then a
    step of the learner; the host reads the loss."""
    teacher = Stack(8, 512, vocabulary=4000).to(DEVICE, TYPE).eval().requires_grad_(False)
    learner = Stack(4, 384, vocabulary=4000).to(DEVICE, TYPE).train()
    mark_layers(teacher.layers)
    mark_layers(learner.layers)
    update = updater(learner.parameters(), [torch.optim.AdamW(learner.parameters(), lr=1e-4, fused=True)], clip=1.0)
    batch = words(4, 160, 4000)

    def loss_of():
        with torch.no_grad():
            wanted = (teacher(batch)[0].float() / 2).log_softmax(-1)
        said = (learner(batch)[0].float() / 2).log_softmax(-1)
        return 4 * F.kl_div(said.flatten(0, 1), wanted.flatten(0, 1), log_target=True, reduction="batchmean")
    return lambda: [train(loss_of, update).item() for _ in range(8)]


def painter_and_judge():
    """DCGAN: convolutions that paint and convolutions that judge; two updates of the judge, then one of the painter, in
    each of 9 marked steps (ProfilerStep)."""
    def part(made, width, act):
        return [made, nn.BatchNorm2d(width), act]
    painter = nn.Sequential(
        *part(nn.ConvTranspose2d(128, 256, 4), 256, nn.ReLU()),
        *part(nn.ConvTranspose2d(256, 128, 4, 2, 1), 128, nn.ReLU()),
        *part(nn.ConvTranspose2d(128, 64, 4, 2, 1), 64, nn.ReLU()),
        nn.ConvTranspose2d(64, 3, 4, 2, 1), nn.Tanh()).to(DEVICE).train()
    judge = nn.Sequential(
        nn.Conv2d(3, 64, 4, 2, 1), nn.LeakyReLU(0.2),
        *part(nn.Conv2d(64, 128, 4, 2, 1), 128, nn.LeakyReLU(0.2)),
        *part(nn.Conv2d(128, 256, 4, 2, 1), 256, nn.LeakyReLU(0.2)), nn.Conv2d(256, 1, 4)).to(DEVICE).train()
    paints, judges = (torch.optim.Adam(m.parameters(), lr=2e-4, betas=(0.5, 0.999)) for m in (painter, judge))
    real = torch.rand(64, 3, 32, 32, device=DEVICE) * 2 - 1

    def paint():
        return painter(torch.randn(64, 128, 1, 1, device=DEVICE))

    def workload():
        for _ in range(9):
            with scope("step"):
                for _ in range(2):
                    with scope("judge"):
                        judges.zero_grad()
                        with torch.no_grad():
                            fake = paint()
                        (F.softplus(-judge(real)).mean() + F.softplus(judge(fake)).mean()).backward()
                        judges.step()
                with scope("painter"):
                    paints.zero_grad()
                    F.softplus(-judge(paint())).mean().backward()
                    paints.step()
            Recorder.step()
    return workload


def graphed_training():
    """A decoder of 5 layers in training through torch.compile with CUDA graphs, forward and backward; fused AdamW
    outside of them, 8 steps."""
    model = Stack(5, 512, vocabulary=4000).to(DEVICE, TYPE).train()
    optimizer, batch = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True), words(4, 129, 4000)
    compiled = torch.compile(lambda given: loss_on(model, given), mode="reduce-overhead")

    def workload():
        for _ in range(8):
            with scope("step*5"):
                torch.compiler.cudagraph_mark_step_begin()
                compiled(batch).backward()
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
    return workload


ALL = [recomputed, odd_last_batch, taught, painter_and_judge, graphed_training]
