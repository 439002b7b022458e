"""Workloads with a known truth: what runs, in which passes and layers. Each is a function that prepares a model and
returns what is to be recorded."""

import torch
from torch import nn
from torch.nn import functional as F

import models
from recording import Layers, mark_layers, scope

DEVICE, TYPE = "cuda", torch.bfloat16


def causal(config, attention="sdpa"):
    from transformers import AutoModelForCausalLM
    return AutoModelForCausalLM.from_config(config, attn_implementation=attention).to(DEVICE, TYPE).eval()


def words(batch, length, vocabulary=8000):
    return torch.randint(5, vocabulary, (batch, length), device=DEVICE)


def prefill_and_decode(model, prompt, tokens, name=""):
    """One request: a prefill, then a decode pass for each token."""
    with torch.no_grad():
        with scope(name + "prefill"):
            out = model(prompt, use_cache=True)
            word = out.logits[:, -1:].argmax(-1)
        for _ in range(tokens):
            with scope(name + "decode"):
                out = model(word, past_key_values=out.past_key_values, use_cache=True)
                word = out.logits[:, -1:].argmax(-1)


def llama(layers, width=1024):
    from transformers import LlamaConfig
    return causal(LlamaConfig(vocab_size=8000, hidden_size=width, intermediate_size=2 * width,
                              num_hidden_layers=layers, num_attention_heads=16, num_key_value_heads=4))


def encoder_decoder():
    """T5: an encoder of 6 layers once, then a decoder of 4 layers (self and cross attention) for each of 10 words."""
    from transformers import T5Config, T5ForConditionalGeneration
    model = T5ForConditionalGeneration(T5Config(
        vocab_size=8000, d_model=512, d_kv=64, d_ff=1024, num_layers=6, num_decoder_layers=4, num_heads=8,
        decoder_start_token_id=0)).to(DEVICE, TYPE).eval()
    mark_layers(model.encoder.block)
    mark_layers(model.decoder.block)
    prompt = words(4, 256)

    def workload():
        with torch.no_grad():
            with scope("encoder"):
                seen = model.encoder(prompt)
            word, past = torch.zeros(4, 1, dtype=torch.long, device=DEVICE), None
            for _ in range(10):
                with scope("decode"):
                    out = model(encoder_outputs=seen, decoder_input_ids=word, past_key_values=past, use_cache=True)
                    word, past = out.logits[:, -1:].argmax(-1), out.past_key_values
    return workload


def hybrid_attention():
    """Gemma 3: 12 layers, five with a sliding window and one that sees all, twice; a prefill and 8 decode passes."""
    from transformers import Gemma3TextConfig
    model = causal(Gemma3TextConfig(vocab_size=8000, hidden_size=640, intermediate_size=1280, num_hidden_layers=12,
                                    num_attention_heads=4, num_key_value_heads=1, head_dim=128, sliding_window=128))
    mark_layers(model.model.layers)
    prompt = words(1, 512)
    return lambda: prefill_and_decode(model, prompt, 8)


def state_space():
    """Mamba 2 without its own kernels: 6 layers; a prefill of 128 words and 6 decode passes."""
    from transformers import Mamba2Config, Mamba2ForCausalLM
    model = Mamba2ForCausalLM(Mamba2Config(vocab_size=8000, hidden_size=512, num_heads=16, head_dim=64, state_size=64,
                                           num_hidden_layers=6, n_groups=1, chunk_size=64)).to(DEVICE, TYPE).eval()
    mark_layers(model.backbone.layers)
    prompt = words(1, 128)

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                out = model(prompt, use_cache=True)
                word = out.logits[:, -1:].argmax(-1)
            for i in range(6):
                with scope("decode"):
                    out = model(word, cache_params=out.cache_params, use_cache=True,
                                cache_position=torch.tensor([128 + i], device=DEVICE))
                    word = out.logits[:, -1:].argmax(-1)
    return workload


def continuous_batching():
    """A server with 4 slots, 8 layers: requests come while others are decoded, so that passes come mixed."""
    model = models.SlotDecoder().to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    plan = [("prefill", 0, 512), ("decode", 2), ("prefill", 1, 300), ("decode", 3), ("prefill", 2, 400),
            ("prefill", 3, 128), ("decode", 5), ("prefill", 1, 256), ("decode", 4)]

    def workload():
        with torch.no_grad():
            active, at = [], 512
            for step in plan:
                if step[0] == "prefill":
                    with scope("prefill"):
                        model.run(words(1, step[2]), [step[1]], 0, step[2])
                    active = sorted({*active, step[1]})
                    continue
                for _ in range(step[1]):
                    with scope("decode"):
                        model.run(words(len(active), 1), active, at, 640)
                    at += 1
    return workload


def several_requests():
    """Llama of 16 layers: three requests after another, a prefill and 8 decode passes each."""
    model = llama(16)
    mark_layers(model.model.layers)
    prompts = [words(1, length) for length in (512, 300, 700)]
    return lambda: [prefill_and_decode(model, prompt, 8) for prompt in prompts]


def two_models():
    """A Llama of 6 layers and a GPT-2 of 4 in one process, a pass of each in turn, 8 times."""
    from transformers import GPT2Config
    one, other = llama(6), causal(GPT2Config(vocab_size=8000, n_embd=512, n_layer=4, n_head=8))
    mark_layers(one.model.layers)
    mark_layers(other.transformer.h)
    prompt = words(2, 256)

    def workload():
        with torch.no_grad():
            for _ in range(8):
                with scope("first"):
                    one(prompt, use_cache=False)
                with scope("second"):
                    other(prompt, use_cache=False)
    return workload


def diffusion():
    """A diffusion transformer of 8 blocks: 10 steps from noise, then the picture."""
    model = models.DiffusionTransformer().to(DEVICE, TYPE).eval()
    mark_layers(model.blocks)
    noise = torch.randn(2, 4, 32, 32, device=DEVICE, dtype=TYPE)

    def workload():
        with torch.no_grad():
            x = noise
            for step in range(10):
                with scope("denoise"):
                    x = x - 0.1 * model(x, 1000 - 100 * step)
            with scope("picture"):
                model.picture(x)
    return workload


def speculative_decoding():
    """A draft of 2 layers proposes 4 words, a target of 10 layers looks at all of them at once, 6 times."""
    draft, target = llama(2, 512), llama(10)
    mark_layers(draft.model.layers)
    mark_layers(target.model.layers)
    prompt = words(1, 256)

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                seen = target(prompt, use_cache=True).past_key_values
            with scope("draft prefill"):
                past = draft(prompt, use_cache=True).past_key_values
            for _ in range(6):
                proposed = [words(1, 1)]
                for _ in range(4):
                    with scope("draft"):
                        out = draft(proposed[-1], past_key_values=past, use_cache=True)
                        proposed.append(out.logits[:, -1:].argmax(-1))
                with scope("verify"):
                    target(torch.cat(proposed, 1), past_key_values=seen, use_cache=True).logits.argmax(-1)
    return workload


def encoder():
    """BERT of 12 layers, 8 batches: inference of an encoder."""
    from transformers import BertConfig, BertModel
    model = BertModel(BertConfig(hidden_size=512, num_hidden_layers=12, num_attention_heads=8,
                                 intermediate_size=1024)).to(DEVICE, TYPE).eval()
    mark_layers(model.encoder.layer)
    batch = words(8, 128)

    def workload():
        with torch.no_grad():
            for _ in range(8):
                with scope("pass"):
                    model(batch)
    return workload


def compiled_graphs():
    """Llama of 10 layers, torch.compile with CUDA graphs: 15 forward passes."""
    model = llama(10)
    compiled = torch.compile(model, mode="reduce-overhead", fullgraph=False)
    prompt = words(4, 64)

    def workload():
        with torch.no_grad():
            for _ in range(15):
                with scope("pass"):
                    compiled(prompt, use_cache=False).logits.argmax(-1)
    for _ in range(4):
        workload()
    return workload


def gpt2_training(layers, micro_steps, steps, scaler=None, is_checkpointed=False):
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(vocab_size=4000, n_embd=512, n_layer=layers, n_head=8, use_cache=False))
    model = model.to(DEVICE).train()
    if is_checkpointed:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, foreach=True)
    batch = words(4, 128, 4000)
    mark_layers(model.transformer.h, "layer")

    def workload():
        for _ in range(steps):
            with scope("step"):
                for _ in range(micro_steps):
                    with scope("micro"):
                        with scope("forward"), torch.autocast(DEVICE, TYPE):
                            loss = model(batch, labels=batch).loss / micro_steps
                        with scope("backward"), Layers.unmarked():
                            (scaler.scale(loss) if scaler else loss).backward()
                with scope("optimizer"):
                    if scaler:
                        scaler.step(optimizer)
                        scaler.update()
                    else:
                        optimizer.step()
                    optimizer.zero_grad()
    return workload


def gradient_accumulation():
    """GPT-2 of 4 layers, 4 micro-steps a step, 6 steps; the host never waits for the device."""
    return gpt2_training(4, 4, 6)


def scaled_training():
    """GPT-2 of 6 layers with a GradScaler, 8 steps; the host waits where the scaler looks for infinities."""
    return gpt2_training(6, 1, 8, scaler=torch.amp.GradScaler(DEVICE))


def checkpointed_training():
    """GPT-2 of 6 layers with activation checkpointing: each layer's forward pass runs again in backward; 6 steps."""
    return gpt2_training(6, 1, 6, is_checkpointed=True)


def recurrent():
    """12 time steps of one cell whose direction changes from step to step."""
    cells = nn.ModuleList(models.TwoWayCell(512) for _ in range(8)).to(DEVICE, TYPE)
    x = torch.randn(64, 512, device=DEVICE, dtype=TYPE)

    def workload():
        with torch.no_grad():
            state = [(torch.zeros_like(x), torch.zeros_like(x)) for _ in cells]
            for step in range(12):
                with scope("time step"):
                    y = x
                    for i, cell in enumerate(cells):
                        y, h, c = cell(y, *state[i], step % 2 == 1)
                        state[i] = (h, c)
    return workload


def convolutions():
    """A residual network in training: no attention anywhere; 8 steps with SGD, device behind its host."""
    def block(width):
        return nn.Sequential(nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU(),
                             nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width), nn.ReLU())
    blocks = nn.ModuleList(block(64) for _ in range(8)).to(DEVICE)
    mark_layers(blocks)
    head = nn.Linear(64, 100).to(DEVICE)
    optimizer = torch.optim.SGD([*blocks.parameters(), *head.parameters()], lr=0.1, momentum=0.9)
    x, y = torch.randn(64, 64, 56, 56, device=DEVICE), torch.randint(100, (64,), device=DEVICE)

    def workload():
        for _ in range(8):
            with scope("step"):
                with scope("forward"):
                    z = x
                    for part in blocks:
                        z = z + part(z)
                    loss = F.cross_entropy(head(z.mean((2, 3))), y)
                with scope("backward"):
                    loss.backward()
                with scope("optimizer"):
                    optimizer.step()
                    optimizer.zero_grad()
    return workload


ALL = [encoder_decoder, hybrid_attention, state_space, continuous_batching, several_requests, two_models, diffusion,
       speculative_decoding, encoder, compiled_graphs, gradient_accumulation, scaled_training, checkpointed_training,
       recurrent, convolutions]
