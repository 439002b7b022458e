"""Workloads on which results are reported and nothing is developed: the same kinds of truth as in scenarios.py, other
models, sizes and ways to run them."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import record_function

import models
from recording import Layers, Recorder, mark_layers, scope
from scenarios import DEVICE, TYPE, causal, llama, prefill_and_decode, words


def speech():
    """Whisper: an encoder of 5 layers behind two convolutions, then a decoder of 3 layers for each of 12 words; twice."""
    from transformers import WhisperConfig, WhisperForConditionalGeneration
    model = WhisperForConditionalGeneration(WhisperConfig(
        vocab_size=8000, d_model=384, encoder_layers=5, decoder_layers=3, encoder_attention_heads=6,
        decoder_attention_heads=6, encoder_ffn_dim=1536, decoder_ffn_dim=1536, max_source_positions=400,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)).to(DEVICE, TYPE).eval()
    mark_layers(model.model.encoder.layers)
    mark_layers(model.model.decoder.layers)
    sound = torch.randn(1, 80, 800, device=DEVICE, dtype=TYPE)

    def workload():
        with torch.no_grad():
            for _ in range(2):
                with scope("encoder"):
                    seen = model.model.encoder(sound)
                word, past = words(1, 1), None
                for _ in range(12):
                    with scope("decode"):
                        out = model(encoder_outputs=seen, decoder_input_ids=word, past_key_values=past, use_cache=True)
                        word, past = out.logits[:, -1:].argmax(-1), out.past_key_values
    return workload


def alternating_attention():
    """Gemma 2: 10 layers, sliding window and full attention in turn; a prefill and 7 decode passes."""
    from transformers import Gemma2Config
    model = causal(Gemma2Config(vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=10,
                                num_attention_heads=8, num_key_value_heads=2, head_dim=64, sliding_window=64))
    mark_layers(model.model.layers)
    prompt = words(2, 300)
    return lambda: prefill_and_decode(model, prompt, 7)


def scanning():
    """Mamba without its own kernels, so that prefill scans word by word: 4 layers, 24 words, 8 decode passes."""
    from transformers import MambaConfig, MambaForCausalLM
    model = MambaForCausalLM(MambaConfig(vocab_size=8000, hidden_size=384, num_hidden_layers=4)).to(DEVICE, TYPE).eval()
    mark_layers(model.backbone.layers)
    prompt = words(1, 24)

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                out = model(prompt, use_cache=True)
                word = out.logits[:, -1:].argmax(-1)
            for i in range(8):
                with scope("decode"):
                    out = model(word, cache_params=out.cache_params, use_cache=True,
                                cache_position=torch.tensor([24 + i], device=DEVICE))
                    word = out.logits[:, -1:].argmax(-1)
    return workload


def dense_then_experts():
    """DeepSeek V3 in small: 2 dense layers, then 5 with experts, latent attention; a prefill and 6 decode passes."""
    from transformers import DeepseekV3Config
    model = causal(DeepseekV3Config(
        vocab_size=8000, hidden_size=512, intermediate_size=1024, moe_intermediate_size=256, num_hidden_layers=7,
        first_k_dense_replace=2, num_attention_heads=8, num_key_value_heads=8, n_routed_experts=8, n_group=2,
        topk_group=1, num_experts_per_tok=2, n_shared_experts=1, q_lora_rank=128, kv_lora_rank=64,
        qk_rope_head_dim=32, qk_nope_head_dim=64, v_head_dim=64))
    mark_layers(model.model.layers)
    prompt = words(1, 200)
    return lambda: prefill_and_decode(model, prompt, 6)


def mixed_stack():
    """Qwen3-Next in small: 8 layers, three with linear attention and one with full attention in turn; 5 decode passes."""
    from transformers import Qwen3NextConfig
    model = causal(Qwen3NextConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=8, num_attention_heads=8,
        num_key_value_heads=2, head_dim=64, linear_num_value_heads=8, linear_num_key_heads=4, linear_key_head_dim=64,
        linear_value_head_dim=64, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=256,
        shared_expert_intermediate_size=256))
    mark_layers(model.model.layers)
    prompt = words(1, 128)
    return lambda: prefill_and_decode(model, prompt, 5)


def pictures():
    """A vision transformer of 9 layers, 7 batches of pictures."""
    from transformers import ViTConfig, ViTModel
    model = ViTModel(ViTConfig(hidden_size=384, num_hidden_layers=9, num_attention_heads=6, intermediate_size=1536,
                               image_size=224, patch_size=16)).to(DEVICE, TYPE).eval()
    mark_layers([m for m in model.modules() if type(m).__name__ == "ViTLayer"])
    batch = torch.randn(4, 3, 224, 224, device=DEVICE, dtype=TYPE)

    def workload():
        with torch.no_grad():
            for _ in range(7):
                with scope("pass"):
                    model(batch)
    return workload


def two_towers():
    """CLIP: 6 layers for the picture, 4 for its text, in every one of 8 passes."""
    from transformers import CLIPConfig, CLIPModel
    model = CLIPModel(CLIPConfig(
        text_config=dict(hidden_size=256, intermediate_size=1024, num_hidden_layers=4, num_attention_heads=4,
                         vocab_size=8000, bos_token_id=1, eos_token_id=2),
        vision_config=dict(hidden_size=384, intermediate_size=1536, num_hidden_layers=6, num_attention_heads=6,
                           image_size=128, patch_size=16))).to(DEVICE, TYPE).eval()
    mark_layers(model.text_model.encoder.layers)
    mark_layers(model.vision_model.encoder.layers)
    text, picture = words(8, 64), torch.randn(8, 3, 128, 128, device=DEVICE, dtype=TYPE)

    def workload():
        with torch.no_grad():
            for _ in range(8):
                with scope("pass"):
                    model(input_ids=text, pixel_values=picture)
    return workload


def busy_server():
    """A server with 6 slots and 6 layers, more requests than in scenarios.py, no two alike."""
    model = models.SlotDecoder(layers=6, width=768, heads=12, slots=6, room=1100).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    plan = [("prefill", 0, 900), ("prefill", 1, 64), ("decode", 4), ("prefill", 2, 200), ("decode", 1),
            ("prefill", 3, 700), ("decode", 6), ("prefill", 4, 33), ("prefill", 5, 512), ("decode", 9)]

    def workload():
        with torch.no_grad():
            active, at = [], 1000
            for step in plan:
                if step[0] == "prefill":
                    with scope("prefill"):
                        model.run(words(1, step[2]), [step[1]], 0, step[2])
                    active = sorted({*active, step[1]})
                    continue
                for _ in range(step[1]):
                    with scope("decode"):
                        model.run(words(len(active), 1), active, at, 1100)
                    at += 1
    return workload


def annotated_requests():
    """Llama of 9 layers, two requests of 12 decode passes, with annotations that a server would make."""
    model = llama(9)
    mark_layers(model.model.layers)
    prompts = [words(1, length) for length in (700, 90)]

    def workload():
        with torch.no_grad():
            for prompt in prompts:
                with scope("prefill"), record_function("prefill"):
                    out = model(prompt, use_cache=True)
                    word = out.logits[:, -1:].argmax(-1)
                for _ in range(12):
                    with scope("decode"), record_function("decode"):
                        out = model(word, past_key_values=out.past_key_values, use_cache=True)
                        word = out.logits[:, -1:].argmax(-1)
    return workload


def llama_training(layers, steps, micro_steps, optimizer_of, is_marked=False, is_compiled=False, looks=()):
    from transformers import LlamaConfig, LlamaForCausalLM
    model = LlamaForCausalLM(LlamaConfig(vocab_size=4000, hidden_size=512, intermediate_size=1024,
                                         num_hidden_layers=layers, num_attention_heads=8, num_key_value_heads=8,
                                         use_cache=False)).to(DEVICE).train()
    if not is_compiled:
        mark_layers(model.model.layers)
    optimizer, batch = optimizer_of(model.parameters()), words(2, 256, 4000)
    run = torch.compile(model) if is_compiled else model

    def workload():
        for step in range(steps):
            with scope("step"):
                for _ in range(micro_steps):
                    with scope("micro"):
                        with scope("forward"), torch.autocast(DEVICE, TYPE):
                            loss = run(input_ids=batch, labels=batch).loss / micro_steps
                        with scope("backward"), Layers.unmarked():
                            loss.backward()
                with scope("optimizer"):
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
                if step in looks:
                    loss.item()
            if is_marked:
                Recorder.step()
    return workload


def marked_training_ahead():
    """Llama of 5 layers, 9 marked steps (ProfilerStep), fused AdamW, clipped; the host never waits for the device."""
    return llama_training(5, 9, 1, lambda p: torch.optim.AdamW(p, lr=1e-4, fused=True), is_marked=True)


def accumulated_sgd():
    """Llama of 3 layers, 3 micro-steps a step, 7 steps with SGD that goes parameter by parameter; looks at two losses."""
    return llama_training(3, 7, 3, lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, foreach=False), looks=(2, 5))


def compiled_training():
    """Llama of 6 layers through torch.compile, 8 steps."""
    return llama_training(6, 8, 1, lambda p: torch.optim.AdamW(p, lr=1e-4), is_compiled=True)


def adversaries():
    """Two nets that train each other: each has its own optimizer, both run in every one of 10 steps."""
    def net(*widths):
        return nn.Sequential(*[part for a, b in zip(widths, widths[1:])
                               for part in (nn.Linear(a, b), nn.LayerNorm(b), nn.GELU())]).to(DEVICE)
    maker, judge = net(64, 512, 512, 512, 256), net(256, 512, 512, 1)
    makes, judges = (torch.optim.Adam(m.parameters(), lr=1e-4) for m in (maker, judge))
    real = torch.randn(256, 256, device=DEVICE)

    def workload():
        for _ in range(10):
            with scope("step"):
                with scope("judge"):
                    fake = maker(torch.randn(256, 64, device=DEVICE))
                    (judge(fake.detach()).mean() - judge(real).mean()).backward()
                    judges.step()
                    judges.zero_grad()
                with scope("maker"):
                    (-judge(fake).mean()).backward()
                    makes.step()
                    makes.zero_grad()
    return workload


def guided_diffusion():
    """A diffusion transformer of 6 blocks, two passes for each of 8 steps: with and without what is asked for."""
    model = models.DiffusionTransformer(blocks=6, width=384, heads=6).to(DEVICE, TYPE).eval()
    mark_layers(model.blocks)
    noise = torch.randn(1, 4, 32, 32, device=DEVICE, dtype=TYPE)

    def workload():
        with torch.no_grad():
            x = noise
            for step in range(8):
                with scope("denoise"):
                    with scope("pass"):
                        plain = model(x, 1000 - 100 * step)
                    with scope("pass"):
                        asked = model(x + 0.1, 1000 - 100 * step)
                    x = x - 0.1 * (plain + 3 * (asked - plain))
    return workload


def drafted():
    """A draft of 3 layers proposes 3 words, a target of 12 looks at them, 9 times; batch of 2."""
    draft, target = llama(3, 512), llama(12, 512)
    mark_layers(draft.model.layers)
    mark_layers(target.model.layers)
    prompt = words(2, 128)

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                seen = target(prompt, use_cache=True).past_key_values
            with scope("draft prefill"):
                past = draft(prompt, use_cache=True).past_key_values
            for _ in range(9):
                proposed = [words(2, 1)]
                for _ in range(3):
                    with scope("draft"):
                        out = draft(proposed[-1], past_key_values=past, use_cache=True)
                        proposed.append(out.logits[:, -1:].argmax(-1))
                with scope("verify"):
                    target(torch.cat(proposed, 1), past_key_values=seen, use_cache=True).logits.argmax(-1)
    return workload


def graphed_decode():
    """A decode pass of 7 layers captured once as a CUDA graph, replayed 18 times, with sampling outside of it."""
    model = models.SlotDecoder(layers=7, width=512, heads=8, slots=4, room=256).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    word, slots = words(4, 1), torch.arange(4, device=DEVICE)
    torch.cuda.synchronize()  # the other stream shall see the slots
    with torch.no_grad():
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream), Layers.unmarked():
            for _ in range(3):
                model.run(word, slots, 100, 256)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph), Layers.unmarked():
            logits = model.head(model.last(model.run_hidden(word, slots, 100, 256)[:, -1:]))

    def workload():
        with torch.no_grad():
            for _ in range(18):
                with scope("decode"):
                    graph.replay()
                    word.copy_(torch.multinomial(F.softmax(logits[:, -1].float(), -1), 1))
    workload.reads = model, slots  # a graph does not keep what it reads
    return workload


ALL = [speech, alternating_attention, scanning, dense_then_experts, mixed_stack, pictures, two_towers, busy_server,
       annotated_requests, marked_training_ahead, accumulated_sgd, compiled_training, adversaries, guided_diffusion,
       drafted, graphed_decode]
