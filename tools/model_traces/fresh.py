"""Workloads on which results are counted and nothing is developed: models and ways to run them that the other files
lack. Training is in fresh_training.py."""

import torch
from torch import nn
from torch.nn import functional as F
from torch.profiler import record_function

from held_out_models import batches_of, layers_called
from models import Block, Stack, parted
from recording import Passes, mark_layers, scope
from scenarios import DEVICE, TYPE, causal, words


def answer(model, prompt, tokens):
    """One request of a Stack: a prefill, then a decode pass for each token."""
    with torch.no_grad():
        with scope("prefill"):
            logits, past = model(prompt)
            word = logits[:, -1:].argmax(-1)
        for _ in range(tokens):
            with scope("decode"):
                logits, past = model(word, past)
                word = logits[:, -1:].argmax(-1)


def shrinking_batch():
    """Cohere: 8 layers with attention and MLP side by side; 8 requests are decoded together, the host reads every
    word, and those that end leave the batch: 14 decode passes of 8, 6, 5, 2 and 1."""
    from transformers import CohereConfig
    model = causal(CohereConfig(vocab_size=8000, hidden_size=768, intermediate_size=1536, num_hidden_layers=8,
                                num_attention_heads=12, num_key_value_heads=4))
    mark_layers(model.model.layers)
    prompt = words(8, 200)
    left_after = {3: [0, 1, 2, 4, 6, 7], 6: [0, 2, 3, 4, 5], 8: [1, 4], 12: [0]}

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                out = model(prompt, use_cache=True)
                word = out.logits[:, -1:].argmax(-1)
                word.tolist()
            for step in range(14):
                with scope("decode"):
                    out = model(word, past_key_values=out.past_key_values, use_cache=True)
                    word = out.logits[:, -1:].argmax(-1)
                    word.tolist()
                    if step in left_after:
                        left = torch.tensor(left_after[step], device=DEVICE)
                        out.past_key_values.reorder_cache(left)
                        word = word[left]
    return workload


def known_prefix():
    """StableLM of 7 layers, a quarter of each head turned: 700 words that all requests begin with are read once, then 4
    requests read 9 to 40 words behind them; an annotation for each request."""
    from transformers import StableLmConfig
    model = causal(StableLmConfig(vocab_size=8000, hidden_size=640, intermediate_size=1280, num_hidden_layers=7,
                                  num_attention_heads=10, num_key_value_heads=10))
    mark_layers(model.model.layers)
    prefix = words(1, 700)
    requests = [(words(1, length), tokens) for length, tokens in ((24, 4), (40, 2), (9, 5), (33, 3))]

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                past = model(prefix, use_cache=True).past_key_values
            for number, (prompt, tokens) in enumerate(requests):
                with record_function(f"request {number}"):
                    with scope("prefill"):
                        word = model(prompt, past_key_values=past, use_cache=True).logits[:, -1:].argmax(-1)
                    for _ in range(tokens):
                        with scope("decode"):
                            word = model(word, past_key_values=past, use_cache=True).logits[:, -1:].argmax(-1)
                    past.crop(700)
    return workload


def scored_prompts():
    """OLMo 2: 9 layers that normalize behind attention and MLP; 11 batches of texts, longest first, are scored word by
    word, and nothing is decoded."""
    from transformers import Olmo2Config
    model = causal(Olmo2Config(vocab_size=8000, hidden_size=768, intermediate_size=1536, num_hidden_layers=9,
                               num_attention_heads=12))
    mark_layers(model.model.layers)
    batches = [words(batch, length) for batch, length in (
        (8, 310), (8, 290), (8, 256), (8, 240), (8, 200), (8, 170), (8, 150), (8, 128), (8, 90), (8, 64), (5, 40))]

    def run(batch):
        likely = model(batch).logits[:, :-1].float().log_softmax(-1)
        likely.gather(-1, batch[:, 1:, None]).sum(1).cpu()
    return batches_of("prefill", batches, run)


def accepted_words():
    """Qwen3 of 3 layers proposes 2 to 5 words, GLM-4 of 9 layers looks at them and takes none, some or all, 6 times;
    both caches are cut back to what was taken."""
    from transformers import Glm4Config, Qwen3Config
    draft = causal(Qwen3Config(vocab_size=8000, hidden_size=384, intermediate_size=768, num_hidden_layers=3,
                               num_attention_heads=6, num_key_value_heads=2, head_dim=64))
    target = causal(Glm4Config(vocab_size=8000, hidden_size=768, intermediate_size=1536, num_hidden_layers=9,
                               num_attention_heads=12, num_key_value_heads=4, head_dim=64, pad_token_id=0))
    mark_layers(draft.model.layers)
    mark_layers(target.model.layers)
    prompt, rounds = words(1, 160), ((4, 4), (5, 2), (3, 0), (2, 2), (4, 1), (5, 3))

    def workload():
        with torch.no_grad():
            with scope("prefill"):
                out = target(prompt, use_cache=True)
                seen, word = out.past_key_values, out.logits[:, -1:].argmax(-1)
            with scope("draft prefill"):
                past = draft(prompt, use_cache=True).past_key_values
            unread, length = word, prompt.shape[1]
            for proposed, accepted in rounds:
                given, guesses = unread, [word]
                for _ in range(proposed):
                    with scope("draft"):
                        given = draft(given, past_key_values=past, use_cache=True).logits[:, -1:].argmax(-1)
                        guesses.append(given)
                with scope("verify"):
                    joined = torch.cat(guesses, 1)
                    said = target(joined, past_key_values=seen, use_cache=True).logits.argmax(-1)
                    (said[:, :-1] == joined[:, 1:]).long().cumprod(1).sum().item()  # the rounds say what was taken
                    word = said[:, accepted:accepted + 1]
                    # What was proposed last is not in the cache of the draft.
                    unread = torch.cat([given, word], 1) if accepted == proposed else word
                length += accepted + 1
                seen.crop(length)
                past.crop(length)
    return workload


def labelled_pictures():
    """DINOv2 of 10 layers and a classifier: 8 batches of pictures come from the host and are resized and scaled on the
    device; annotations around both parts."""
    from transformers import Dinov2Config, Dinov2Model
    model = Dinov2Model(Dinov2Config(hidden_size=384, num_hidden_layers=10, num_attention_heads=6, image_size=224,
                                     patch_size=14)).to(DEVICE, TYPE).eval()
    head, passes = nn.Linear(768, 1000).to(DEVICE, TYPE), Passes()
    mark_layers(layers_called(model, "Dinov2Layer"))
    batches = [torch.randint(256, (8, 3, 256, 256), dtype=torch.uint8).pin_memory() for _ in range(8)]

    def workload():
        with torch.no_grad():
            for batch in batches:
                with record_function("preprocess"):
                    x = F.interpolate(batch.to(DEVICE, non_blocking=True).float(), size=(224, 224), mode="bilinear")
                    x = ((x / 255 - 0.45) / 0.22).to(TYPE)
                passes.begin("encoder")
                with record_function("model"):
                    rows = model(x).last_hidden_state
                    said = head(torch.cat([rows[:, 0], rows[:, 1:].mean(1)], -1))
                said.float().softmax(-1).topk(5).indices.cpu()
            passes.end()
    return workload


def named_by_text():
    """CLIP asked which text fits: 5 layers for 3 batches of texts, then 8 layers for 5 batches of pictures; then one of
    texts and 4 of pictures more."""
    from transformers import CLIPConfig, CLIPModel
    model = CLIPModel(CLIPConfig(
        text_config=dict(hidden_size=384, intermediate_size=1536, num_hidden_layers=5, num_attention_heads=6,
                         vocab_size=8000, bos_token_id=1, eos_token_id=2),
        vision_config=dict(hidden_size=512, intermediate_size=2048, num_hidden_layers=8, num_attention_heads=8,
                           image_size=160, patch_size=16))).to(DEVICE, TYPE).eval()
    mark_layers(layers_called(model, "CLIPEncoderLayer"))
    texts, pictures = words(24, 40), torch.randn(6, 3, 160, 160, device=DEVICE, dtype=TYPE)

    def direction(out):
        return F.normalize(out if torch.is_tensor(out) else out.pooler_output, dim=-1)

    def workload():
        known = []
        with torch.no_grad():
            for given in [texts] * 3 + [pictures] * 5 + [texts] + [pictures] * 4:
                with scope("encoder"):
                    if given is texts:
                        known.append(direction(model.get_text_features(input_ids=given)))
                    else:
                        seen = direction(model.get_image_features(pixel_values=given))
                        (seen @ torch.cat(known).T).float().softmax(-1).argmax(-1).cpu()
    return workload


def two_streams():
    """A decoder of 8 layers with heads of 64 and of 128 in turn on one stream, DistilBERT of 6 layers on another: a
    host that never waits gives each a pass in turn, 14 times; two requests."""
    from transformers import DistilBertConfig, DistilBertModel
    speaker = Stack(8, 512, sizes=(64, 128)).to(DEVICE, TYPE).eval()
    reader = DistilBertModel(DistilBertConfig(vocab_size=8000, dim=512, n_layers=6, n_heads=8,
                                              hidden_dim=2048)).to(DEVICE, TYPE).eval()
    mark_layers(speaker.layers)
    mark_layers(layers_called(reader, "TransformerBlock"))
    prompts, text = [words(2, length) for length in (400, 150)], words(8, 128)
    one, other = torch.cuda.Stream(), torch.cuda.Stream()

    def workload():
        torch.cuda.synchronize()
        word = past = None
        with torch.no_grad():
            for turn in range(14):
                is_new = turn % 7 == 0
                with torch.cuda.stream(one), scope("prefill" if is_new else "decode"):
                    logits, past = speaker(prompts[turn // 7]) if is_new else speaker(word, past)
                    word = logits[:, -1:].argmax(-1)
                with torch.cuda.stream(other), scope("encoder"):
                    F.normalize(reader(input_ids=text).last_hidden_state.mean(1), dim=-1)
        torch.cuda.synchronize()
    return workload


class EightBits(nn.Module):
    """A matrix in FP8 with one scale; what comes in gets its own scale each time."""

    def __init__(self, plain):
        super().__init__()
        weight = plain.weight.detach().float()
        self.scale = weight.abs().max() / 448
        self.weight = (weight / self.scale).to(torch.float8_e4m3fn)

    def forward(self, x):
        rows = x.flatten(0, -2)
        scale = rows.abs().max().float() / 448
        rows = (rows / scale).clamp(-448, 448).to(torch.float8_e4m3fn)
        return torch._scaled_mm(rows, self.weight.t(), scale_a=scale, scale_b=self.scale,
                                out_dtype=TYPE).unflatten(0, x.shape[:-1])


def eight_bits():
    """A decoder of 6 layers whose matrices are FP8, scaled anew for each input: 16 requests at once, 7 decode passes;
    then 16 others."""
    model = Stack(6, 1024, sizes=(128,)).to(DEVICE, TYPE).eval()
    for layer in model.layers:
        layer.qkv, layer.out, layer.up, layer.down = (
            EightBits(part) for part in (layer.qkv, layer.out, layer.up, layer.down))
    mark_layers(model.layers)
    prompts = [words(16, length) for length in (96, 208)]
    return lambda: [answer(model, prompt, 7) for prompt in prompts]


def layer_by_layer():
    """A decoder of 10 layers, each layer compiled by itself with dynamic shapes, all else not; three requests of 6
    decode passes."""
    model = Stack(10, 768, sizes=(128,)).to(DEVICE, TYPE).eval()
    for layer in model.layers:  # hooks, and so the marks, stay outside of what is compiled
        layer.forward = torch.compile(layer.forward, dynamic=True)
    mark_layers(model.layers)
    prompts = [words(2, length) for length in (180, 75, 230)]
    return lambda: [answer(model, prompt, 6) for prompt in prompts]


class AskedBlock(Block):
    """A block that also looks at a text."""

    def __init__(self, width):
        super().__init__(width, is_causal=False)
        self.ask, self.told, self.reply = nn.Linear(width, width), nn.Linear(width, 2 * width), nn.Linear(width, width)
        self.middle = nn.RMSNorm(width)

    def forward(self, x, text):
        x, _ = self.attend(x)
        q = parted(self.ask(self.middle(x)), self.heads)
        k, v = [parted(t, self.heads) for t in self.told(text).chunk(2, dim=-1)]
        seen = F.scaled_dot_product_attention(q, k, v)
        return self.feed(x + self.reply(seen.transpose(1, 2).flatten(2)))


class Painter(nn.Module):
    """Says which noise is in a small picture, by its text and its time; and makes a large picture of it at the end."""

    def __init__(self, blocks, width):
        super().__init__()
        self.patches, self.when = nn.Conv2d(4, width, 2, 2), nn.Embedding(1000, width)
        self.blocks = nn.ModuleList(AskedBlock(width) for _ in range(blocks))
        self.last, self.back = nn.RMSNorm(width), nn.Linear(width, 16)
        self.picture = nn.Sequential(nn.Conv2d(4, 64, 3, padding=1), *[part for _ in range(3) for part in (
            nn.GroupNorm(8, 64), nn.SiLU(), nn.Upsample(scale_factor=2), nn.Conv2d(64, 64, 3, padding=1))])

    def forward(self, x, time, text):
        y = self.patches(x)
        rows = y.flatten(2).transpose(1, 2) + self.when(time)
        for block in self.blocks:
            rows = block(rows, text)
        return F.pixel_shuffle(self.back(self.last(rows)).transpose(1, 2).unflatten(2, y.shape[2:]), 2)


def text_to_picture():
    """Two pictures from texts: an encoder of 5 layers for the text, 6 steps (DDIM) of two passes each of 6 blocks, with
    no text and with it, and convolutions that make the picture."""
    from transformers import CLIPTextConfig, CLIPTextModel
    reader = CLIPTextModel(CLIPTextConfig(
        vocab_size=8000, hidden_size=512, intermediate_size=1024, num_hidden_layers=5, num_attention_heads=8,
        bos_token_id=1, eos_token_id=2)).to(DEVICE, TYPE).eval()
    model = Painter(6, 512).to(DEVICE, TYPE).eval()
    mark_layers(layers_called(reader, "CLIPEncoderLayer"))
    mark_layers(model.blocks)
    prompt, noise = words(2, 77), torch.randn(1, 4, 48, 48, device=DEVICE, dtype=TYPE)
    times, kept = torch.arange(999, 0, -150, device=DEVICE), torch.linspace(0.02, 0.98, 7).tolist()

    def workload():
        with torch.no_grad():
            for _ in range(2):
                with scope("encoder"):
                    asked, nothing = reader(input_ids=prompt).last_hidden_state.split(1)
                x = noise
                for time, now, then in zip(times, kept, kept[1:]):
                    with scope("pass"):
                        plain = model(x, time, nothing)
                    with scope("pass"):
                        guess = plain + 5 * (model(x, time, asked) - plain)
                        clean = (x - (1 - now) ** 0.5 * guess) / now ** 0.5
                        x = then ** 0.5 * clean + (1 - then) ** 0.5 * guess
                with scope("picture"):
                    model.picture(x).clamp(-1, 1).float().cpu()
    return workload


class Conformer(Block):
    """Half an MLP, attention, convolutions over time, and an MLP."""

    def __init__(self, width, reach=15):
        super().__init__(width, is_causal=False)
        self.first = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(),
                                   nn.Linear(4 * width, width))
        self.norm, self.still = nn.LayerNorm(width), nn.BatchNorm1d(width)
        self.widen, self.narrow = nn.Conv1d(width, 2 * width, 1), nn.Conv1d(width, width, 1)
        self.over = nn.Conv1d(width, width, 2 * reach + 1, padding=reach, groups=width)

    def forward(self, x):
        x, _ = self.attend(x + 0.5 * self.first(x))
        y = F.glu(self.widen(self.norm(x).transpose(1, 2)), dim=1)
        return self.feed(x + self.narrow(F.silu(self.still(self.over(y)))).transpose(1, 2))


def heard_sounds():
    """A conformer of 8 layers behind two convolutions that shorten the sound: 9 sounds of 2 to 14 seconds, the
    likeliest letter at each time is read by the host."""
    shorten = nn.Sequential(nn.Conv2d(1, 64, 3, 2, 1), nn.ReLU(), nn.Conv2d(64, 64, 3, 2, 1), nn.ReLU())
    inward, layers, head = nn.Linear(64 * 20, 256), nn.ModuleList(Conformer(256) for _ in range(8)), nn.Linear(256, 64)
    nn.ModuleList((shorten, inward, layers, head)).to(DEVICE, TYPE).eval()
    mark_layers(layers)
    sounds = [torch.randn(1, 1, 100 * seconds, 80, device=DEVICE, dtype=TYPE)
              for seconds in (5, 2, 14, 7, 7, 3, 11, 4, 9)]

    def run(sound):
        x = inward(shorten(sound).transpose(1, 2).flatten(2))
        for layer in layers:
            x = layer(x)
        head(x).float().log_softmax(-1).argmax(-1).cpu()
    return batches_of("encoder", sounds, run)


ALL = [shrinking_batch, known_prefix, scored_prompts, accepted_words, labelled_pictures, named_by_text, two_streams,
       eight_bits, layer_by_layer, text_to_picture, heard_sounds]
