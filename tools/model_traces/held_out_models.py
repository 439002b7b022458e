"""Workloads of held_out.py: kinds of models, most of them from transformers with random weights."""

import functools

import torch
from torch import nn

from recording import Passes, mark_layers, scope
from scenarios import DEVICE, TYPE, causal, llama, prefill_and_decode, words


def layers_called(model, name):
    return [part for part in model.modules() if type(part).__name__ == name]


def padded(batch, length, at_left=False):
    """Words and their mask: the first row fills its length, the others less."""
    lengths = torch.linspace(length, length // 3, batch, device=DEVICE).long()[:, None]
    places = torch.arange(length, device=DEVICE)
    mask = places >= length - lengths if at_left else places < lengths
    return dict(input_ids=words(batch, length) * mask, attention_mask=mask.long())


def generate(model, tokens, inputs, layers="", **options):
    """model.generate, which begins a scope with each pass; work between two passes belongs to the first. Layers that
    are compiled have no scopes of their own: '*9' says that there are 9."""
    from transformers import GenerationConfig
    is_pair, prepare, passes = model.config.is_encoder_decoder, model.prepare_inputs_for_generation, Passes()
    model.generation_config = GenerationConfig(max_new_tokens=tokens, pad_token_id=0,
                                               decoder_start_token_id=1 if is_pair else None, **options)

    @functools.wraps(prepare)
    def prepare_and_begin(*positional, **named):
        prepared = prepare(*positional, **named)
        given = prepared.get("input_ids")
        passes.begin(("prefill" if given is not None and given.shape[1] > 1 else "decode") + layers)
        return prepared

    model.prepare_inputs_for_generation = prepare_and_begin
    if is_pair:
        hook = model.get_encoder().register_forward_pre_hook(lambda *_unused: passes.begin("encoder"))
    with torch.no_grad():
        model.generate(**inputs)
    passes.end()
    model.prepare_inputs_for_generation = prepare
    if is_pair:
        hook.remove()


def batches_of(name, batches, run):
    def workload():
        with torch.no_grad():
            for batch in batches:
                with scope(name):
                    run(batch)
    return workload


def local_and_global():
    """ModernBERT: 10 layers, each third sees all and the others a window; 7 padded batches, no two of one length."""
    from transformers import ModernBertConfig, ModernBertModel
    model = ModernBertModel(ModernBertConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=768, num_hidden_layers=10, num_attention_heads=8,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2)).to(DEVICE, TYPE).eval()
    mark_layers(model.layers)
    batches = [padded(4, length) for length in (300, 120, 512, 77, 256, 410, 190)]
    return batches_of("encoder", batches, lambda batch: model(**batch))


def disentangled():
    """DeBERTa: 7 layers whose attention also has terms of positions, without fused kernels; 6 padded batches."""
    from transformers import DebertaV2Config, DebertaV2Model
    model = DebertaV2Model(DebertaV2Config(
        vocab_size=8000, hidden_size=384, num_hidden_layers=7, num_attention_heads=6, intermediate_size=1536,
        relative_attention=True, position_buckets=64, pos_att_type=["p2c", "c2p"], share_att_key=True,
        norm_rel_ebd="layer_norm", max_relative_positions=-1)).to(DEVICE, TYPE).eval()
    mark_layers(layers_called(model, "DebertaV2Layer"))
    batches = [padded(batch, length) for batch, length in ((8, 128), (8, 96), (8, 160), (3, 128), (8, 200), (8, 64))]
    return batches_of("encoder", batches, lambda batch: model(**batch))


def listening():
    """HuBERT: seven convolutions, then an encoder of 8 layers; 8 sounds of 1 to 6 seconds."""
    from transformers import HubertConfig, HubertModel
    model = HubertModel(HubertConfig(hidden_size=384, num_hidden_layers=8, num_attention_heads=6,
                                     intermediate_size=1536, conv_dim=(256,) * 7)).to(DEVICE, TYPE).eval()
    mark_layers(model.encoder.layers)
    sounds = [torch.randn(2, int(16000 * seconds), device=DEVICE, dtype=TYPE)
              for seconds in (2.5, 1, 6, 3.1, 4, 1.7, 5.2, 2.2)]
    return batches_of("encoder", sounds, model)


def embeddings():
    """XLM-RoBERTa of 11 layers as a model of embeddings: 9 batches sorted by length, padded, pooled and normalized."""
    from transformers import XLMRobertaConfig, XLMRobertaModel
    model = XLMRobertaModel(XLMRobertaConfig(
        vocab_size=8000, hidden_size=384, num_hidden_layers=11, num_attention_heads=6, intermediate_size=1536,
        pad_token_id=0), add_pooling_layer=False).to(DEVICE, TYPE).eval()
    mark_layers(layers_called(model, "XLMRobertaLayer"))
    batches = [padded(batch, length) for batch, length in (
        (16, 40), (16, 53), (16, 71), (16, 90), (16, 128), (12, 170), (8, 233), (4, 301), (1, 480))]

    def run(batch):
        mask = batch["attention_mask"][..., None]
        pooled = (model(**batch).last_hidden_state * mask).sum(1) / mask.sum(1)
        nn.functional.normalize(pooled.float(), dim=-1).cpu()
    return batches_of("encoder", batches, run)


def summaries():
    """BART: for each of 3 padded batches an encoder of 6 layers, then a decoder of 5 for each of 9, 5 and 12 words."""
    from transformers import BartConfig, BartForConditionalGeneration
    model = BartForConditionalGeneration(BartConfig(
        vocab_size=8000, d_model=512, encoder_layers=6, decoder_layers=5, encoder_attention_heads=8,
        decoder_attention_heads=8, encoder_ffn_dim=1024, decoder_ffn_dim=1024, max_position_embeddings=512,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=2)).to(DEVICE, TYPE).eval()
    mark_layers(model.model.encoder.layers)
    mark_layers(model.model.decoder.layers)
    batches = [(padded(4, 300), 9), (padded(6, 120), 5), (padded(2, 470), 12)]

    def workload():
        with torch.no_grad():
            for batch, tokens in batches:
                with scope("encoder"):
                    seen = model.model.encoder(**batch)
                word, past = words(len(batch["input_ids"]), 1), None
                for _ in range(tokens):
                    with scope("decode"):
                        out = model(encoder_outputs=seen, attention_mask=batch["attention_mask"],
                                    decoder_input_ids=word, past_key_values=past, use_cache=True)
                        word, past = out.logits[:, -1:].argmax(-1), out.past_key_values
    return workload


def beam_search():
    """Pegasus: model.generate with 4 beams for 2 texts, an encoder of 5 layers, a decoder of 10, 8 words; twice."""
    from transformers import PegasusConfig, PegasusForConditionalGeneration
    model = PegasusForConditionalGeneration(PegasusConfig(
        vocab_size=8000, d_model=512, encoder_layers=5, decoder_layers=10, encoder_attention_heads=8,
        decoder_attention_heads=8, encoder_ffn_dim=1024, decoder_ffn_dim=1024, max_position_embeddings=512,
        pad_token_id=0, eos_token_id=1, decoder_start_token_id=0)).to(DEVICE, TYPE).eval()
    mark_layers(model.model.encoder.layers)
    mark_layers(model.model.decoder.layers)
    batches = [padded(2, length) for length in (256, 180)]
    return lambda: [generate(model, 8, batch, num_beams=4) for batch in batches]


def answers(tower, model, requests, tokens):
    """What sees and what speaks in one process: for each request an encoder, a prefill and decode passes."""
    def workload():
        with torch.no_grad():
            for pictures, prompt in requests:
                with scope("encoder"):
                    seen = tower(pictures)
                with scope("prefill"):
                    joined = torch.cat([seen, model.get_input_embeddings()(prompt)], 1)
                    out = model(inputs_embeds=joined, use_cache=True)
                    word = out.logits[:, -1:].argmax(-1)
                for _ in range(tokens):
                    with scope("decode"):
                        out = model(word, past_key_values=out.past_key_values, use_cache=True)
                        word = out.logits[:, -1:].argmax(-1)
    return workload


def seen_and_told():
    """LLaVA's way: SigLIP of 7 layers sees, a projector, Llama of 9 layers speaks; 3 requests of 8 decode passes."""
    from transformers import SiglipVisionConfig, SiglipVisionModel
    eyes = SiglipVisionModel(SiglipVisionConfig(
        hidden_size=384, intermediate_size=1536, num_hidden_layers=7, num_attention_heads=6, image_size=224,
        patch_size=16, vision_use_head=False)).to(DEVICE, TYPE).eval()
    projector = nn.Sequential(nn.Linear(384, 768), nn.GELU(), nn.Linear(768, 768)).to(DEVICE, TYPE)
    model = llama(9, 768)
    mark_layers(layers_called(eyes, "SiglipEncoderLayer"))
    mark_layers(model.model.layers)
    requests = [(torch.randn(1, 3, 224, 224, device=DEVICE, dtype=TYPE), words(1, length)) for length in (60, 200, 33)]
    return answers(lambda pictures: projector(eyes(pictures).last_hidden_state), model, requests, 8)


def windowed_eyes():
    """Qwen2.5-VL: a tower of 6 layers, four of them in windows, then Qwen2 of 7; 3 requests of other sizes."""
    from transformers import Qwen2Config
    from transformers.models.qwen2_5_vl import modeling_qwen2_5_vl as vl
    tower = vl.Qwen2_5_VisionTransformerPretrainedModel(vl.Qwen2_5_VLVisionConfig(
        depth=6, hidden_size=384, intermediate_size=768, num_heads=6, out_hidden_size=512, window_size=112,
        fullatt_block_indexes=[2, 5])).to(DEVICE, TYPE).eval()
    model = causal(Qwen2Config(vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=7,
                               num_attention_heads=8, num_key_value_heads=2))
    mark_layers(tower.blocks)
    mark_layers(model.model.layers)

    def look(grid):
        patches = torch.randn(grid[0] * grid[1], 3 * 2 * 14 * 14, device=DEVICE, dtype=TYPE)
        seen = tower(patches, grid_thw=torch.tensor([[1, *grid]], device=DEVICE))
        return (seen if torch.is_tensor(seen) else seen.pooler_output)[None]
    return answers(look, model, [((16, 16), words(1, 50)), ((16, 24), words(1, 120)), ((24, 24), words(1, 20))], 7)


def few_attention_layers():
    """Bamba: 9 layers, two of them with attention, the others Mamba 2; model.generate, 9 words, two requests."""
    from transformers import BambaConfig
    model = causal(BambaConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=9, num_attention_heads=8,
        num_key_value_heads=2, attn_layer_indices=[2, 6], mamba_n_heads=16, mamba_d_state=64, mamba_chunk_size=64))
    mark_layers(model.model.layers)
    prompts = [dict(input_ids=words(1, length)) for length in (128, 200)]
    return lambda: [generate(model, 9, prompt) for prompt in prompts]


def side_by_side():
    """Falcon-H1: 6 layers, each with attention and Mamba 2 side by side; model.generate, 8 words, two requests."""
    from transformers import FalconH1Config
    model = causal(FalconH1Config(
        vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=6, num_attention_heads=8,
        num_key_value_heads=2, mamba_d_ssm=1024, mamba_n_heads=16, mamba_d_state=64, mamba_chunk_size=64))
    mark_layers(model.model.layers)
    prompts = [dict(input_ids=words(2, length)) for length in (192, 100)]
    return lambda: [generate(model, 8, prompt) for prompt in prompts]


def sinks():
    """gpt-oss: 8 layers in turn with window and all, sinks in eager attention, experts in each; 8 decode passes."""
    from transformers import GptOssConfig
    model = causal(GptOssConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=512, num_hidden_layers=8, num_attention_heads=8,
        num_key_value_heads=2, head_dim=64, num_local_experts=8, num_experts_per_tok=2, sliding_window=64),
        attention="eager")
    mark_layers(model.model.layers)
    prompt = words(1, 180)
    return lambda: prefill_and_decode(model, prompt, 8)


def chunked_attention():
    """Llama 4: 8 layers, three with attention in chunks of 64 and one that sees all, experts in each second; 9 more."""
    from transformers import Llama4ForCausalLM, Llama4TextConfig
    model = Llama4ForCausalLM(Llama4TextConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=512, intermediate_size_mlp=1024, num_hidden_layers=8,
        num_attention_heads=8, num_key_value_heads=2, head_dim=64, num_local_experts=4, attention_chunk_size=64,
        interleave_moe_layer_step=2)).to(DEVICE, TYPE).eval()
    mark_layers(model.model.layers)
    prompt = words(1, 150)
    return lambda: prefill_and_decode(model, prompt, 9)


def expert_by_expert():
    """Mixtral: 6 layers of 8 experts, each expert that is chosen runs by itself: no two passes are equal; 10 words."""
    from transformers import MixtralConfig
    model = causal(MixtralConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=768, num_hidden_layers=6, num_attention_heads=8,
        num_key_value_heads=2, num_local_experts=8, num_experts_per_tok=2, experts_implementation="eager"))
    mark_layers(model.model.layers)
    prompt = words(3, 100)
    return lambda: prefill_and_decode(model, prompt, 10)


def shared_expert():
    """Qwen2-MoE: 9 layers of 12 experts and a shared one, run as groups; two requests of 7 decode passes."""
    from transformers import Qwen2MoeConfig
    model = causal(Qwen2MoeConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1024, moe_intermediate_size=256,
        shared_expert_intermediate_size=512, num_hidden_layers=9, num_attention_heads=8, num_key_value_heads=8,
        num_experts=12, num_experts_per_tok=3))
    mark_layers(model.model.layers)
    prompts = [words(2, length) for length in (160, 320)]
    return lambda: [prefill_and_decode(model, prompt, 7) for prompt in prompts]


def gated_recurrence():
    """RecurrentGemma: 8 layers, two that scan word by word and one with a window in turn; 24 words, then 9 more."""
    from transformers import RecurrentGemmaConfig, RecurrentGemmaForCausalLM
    model = RecurrentGemmaForCausalLM(RecurrentGemmaConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1536, num_hidden_layers=8, num_attention_heads=8,
        num_key_value_heads=1, lru_width=512, attention_window_size=64)).to(DEVICE, TYPE).eval()
    mark_layers(model.model.layers)
    prompt = dict(input_ids=words(1, 24))
    return lambda: generate(model, 10, prompt)


def matrix_memory():
    """xLSTM: 6 blocks without attention; a prompt of 128 words in chunks, then 9 words."""
    from transformers import xLSTMConfig, xLSTMForCausalLM
    model = xLSTMForCausalLM(xLSTMConfig(vocab_size=8000, hidden_size=512, num_hidden_layers=6,
                                         num_heads=4)).to(DEVICE, TYPE).eval()
    mark_layers(model.backbone.blocks)
    prompt = dict(input_ids=words(1, 128))
    return lambda: generate(model, 10, prompt)


def shrinking_pictures():
    """Swin: 10 layers in four levels of growing width, windows shifted in each second; 7 batches of 1 to 8 pictures."""
    from transformers import SwinConfig, SwinModel
    model = SwinModel(SwinConfig(image_size=224, embed_dim=96, depths=[2, 2, 4, 2], num_heads=[3, 6, 12, 24],
                                 window_size=7), add_pooling_layer=False).to(DEVICE, TYPE).eval()
    mark_layers(layers_called(model, "SwinLayer"))
    batches = [torch.randn(size, 3, 224, 224, device=DEVICE, dtype=TYPE) for size in (4, 8, 1, 2, 8, 4, 6)]
    return batches_of("encoder", batches, model)


def residual_pictures():
    """ResNet-18: 8 blocks in four levels; 9 batches of 1 to 32 pictures, for each size other convolutions."""
    from torchvision.models import resnet18
    model = resnet18().to(DEVICE, TYPE).to(memory_format=torch.channels_last).eval()
    mark_layers(layers_called(model, "BasicBlock"))
    batches = [torch.randn(size, 3, 224, 224, device=DEVICE, dtype=TYPE).to(memory_format=torch.channels_last)
               for size in (8, 32, 1, 8, 16, 4, 32, 1, 2)]
    return batches_of("pass", batches, lambda batch: model(batch).argmax(-1))
