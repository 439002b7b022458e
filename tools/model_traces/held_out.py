"""Workloads unlike those of scenarios.py and unseen.py: other models, other ways to run them, other training.

DEVELOP and REPORT are halves of the same kinds. The first may be looked into; of the second only totals are reported,
so that they say how lockstep does on what nobody has looked at.
"""

import held_out_models as kinds
import held_out_running as running
import held_out_training as training

DEVELOP = [kinds.local_and_global, kinds.listening, kinds.summaries, kinds.seen_and_told, kinds.few_attention_layers,
           kinds.sinks, kinds.expert_by_expert, kinds.gated_recurrence, kinds.residual_pictures, running.static_graphs,
           running.mixed_passes, running.sampled_batch, running.pipeline, training.adapters, training.looked_at_between,
           training.denoising, training.masked_words, training.two_optimizers]

REPORT = [kinds.disentangled, kinds.embeddings, kinds.beam_search, kinds.windowed_eyes, kinds.side_by_side,
          kinds.chunked_attention, kinds.shared_expert, kinds.matrix_memory, kinds.shrinking_pictures,
          running.compiled_requests, running.pieces_between, running.sampled_requests, training.uneven_steps,
          training.rewarded, training.contrast, training.gates, training.fetched_ahead, training.neighbours]
