"""Workloads of held_out.py: ways in which servers and libraries run a model."""

import torch
from torch import nn

import models
from held_out_models import generate, padded
from recording import mark_layers, scope
from scenarios import DEVICE, TYPE, causal, llama, words


def static_graphs():
    """Llama of 10 layers, a cache of fixed size: model.generate compiles decode and replays it as a CUDA graph; three
    requests of 8 words."""
    model, prompts = llama(10, 768), [dict(input_ids=words(1, length)) for length in (310, 77, 200)]
    return lambda: [generate(model, 8, prompt, "*10", cache_implementation="static") for prompt in prompts]


def compiled_requests():
    """Llama of 7 layers through torch.compile with dynamic shapes, prefill and decode; three requests of 8 words."""
    model, prompts = llama(7, 768), [words(2, length) for length in (150, 333, 240)]
    compiled = torch.compile(model, dynamic=True)

    def workload():
        with torch.no_grad():
            for prompt in prompts:
                with scope("prefill*7"):
                    out = compiled(prompt, use_cache=True)
                    word = out.logits[:, -1:].argmax(-1)
                for _ in range(8):
                    with scope("decode*7"):
                        out = compiled(word, past_key_values=out.past_key_values, use_cache=True)
                        word = out.logits[:, -1:].argmax(-1)
    for _ in range(2):
        workload()
    return workload


def mixed_passes():
    """A server of 7 layers that prefills in pieces of 128 words, in one pass with the next words of other requests."""
    model = models.MixedDecoder(layers=7, width=768, heads=12, slots=4, room=700).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    arrivals = [(0, 500), (1, 300), (2, 640), (3, 90)]

    def run(name, piece, at):
        with scope(name):
            model.run(words(1, piece[2] + len(at))[0], piece, at)
        for slot in at:
            at[slot] += 1

    def workload():
        with torch.no_grad():
            at = {}
            for slot, length in arrivals:
                for begin in range(0, length, 128):
                    run("mixed" if at else "prefill", (slot, begin, min(128, length - begin)), at)
                at[slot] = length
                for _ in range(3 + slot):
                    run("decode", (0, 0, 0), at)
    return workload


def pieces_between():
    """Llama of 8 layers: a prompt of 600 words in pieces of 128 between decode passes of a request that is there."""
    model = llama(8, 768)
    mark_layers(model.model.layers)
    first, second = words(1, 200), words(1, 600)

    def run(name, given, past):
        with scope(name):
            out = model(given, past_key_values=past, use_cache=True)
            return out.logits[:, -1:].argmax(-1), out.past_key_values

    def workload():
        with torch.no_grad():
            word, past = run("prefill", first, None)
            for _ in range(3):
                word, past = run("decode", word, past)
            other = None
            for piece in second.split(128, dim=1):
                other_word, other = run("prefill", piece, other)
                word, past = run("decode", word, past)
            for _ in range(4):
                word, past = run("decode", word, past)
                other_word, other = run("decode", other_word, other)
    return workload


def sampled_batch():
    """Phi-3 of 8 layers with eager attention: 5 prompts padded at the left, sampled (top-k, top-p) for 13 words."""
    from transformers import Phi3Config
    model = causal(Phi3Config(vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=8,
                              num_attention_heads=8, num_key_value_heads=4, pad_token_id=0, bos_token_id=1,
                              eos_token_id=2), attention="eager")
    mark_layers(model.model.layers)
    batch = padded(5, 180, at_left=True)
    return lambda: generate(model, 13, batch, do_sample=True, top_k=50, top_p=0.9)


def sampled_requests():
    """Gemma 3 of 14 layers, five with a window and one that sees all, and two left over; two requests, sampled."""
    from transformers import Gemma3TextConfig
    model = causal(Gemma3TextConfig(vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=14,
                                    num_attention_heads=4, num_key_value_heads=2, head_dim=128, sliding_window=96))
    mark_layers(model.model.layers)
    prompts = [dict(input_ids=words(1, length)) for length in (260, 64)]
    return lambda: [generate(model, 7, prompt, do_sample=True, temperature=0.7, top_k=20) for prompt in prompts]


def pipeline():
    """An encoder of 9 layers cut in two: embedding and the first 5 run on one stream, the other 4 and what is made of
    them on another; 10 batches."""
    halves = [nn.ModuleList(nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True, norm_first=True)
                            for _ in range(count)).to(DEVICE, TYPE).eval() for count in (5, 4)]
    for half in halves:
        mark_layers(half)
    embedding, head = nn.Embedding(8000, 768).to(DEVICE, TYPE), nn.Linear(768, 256).to(DEVICE, TYPE)
    before = [embedding, lambda x: x]
    after = [lambda x: x, lambda x: nn.functional.normalize(head(x.mean(1)), dim=-1)]
    streams, batches = [torch.cuda.Stream() for _ in halves], [words(8, 256) for _ in range(10)]

    def workload():
        torch.cuda.synchronize()
        with torch.no_grad():
            for x in batches:
                for half, stream, enter, leave in zip(halves, streams, before, after):
                    stream.wait_event(torch.cuda.current_stream().record_event())
                    x.record_stream(stream)
                    torch.cuda.set_stream(stream)
                    with scope("pass"):
                        x = enter(x)
                        for layer in half:
                            x = layer(x)
                        x = leave(x)
                torch.cuda.set_stream(streams[0])
        torch.cuda.set_stream(torch.cuda.default_stream())
    return workload
