// How many layers of a model a stretch of kernels runs, by its attention.
//
// Attention runs once a layer, but not every attention kernel is a layer: the one of a decoder that
// looks at its encoder lies in the same layer as the one before it, and a batch of prefill and
// decode needs both kernels in a layer. So what follows a kernel up to the next one is looked at:
// a layer ends with its feed-forward part.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// Matrix work of a layer, in kernels. Attention that is written out has at least its two products,
// a projection on either side; where there is much more, as in convolutional models, a softmax
// belongs to the output or the loss.
inline constexpr std::uint64_t kFewestGemmsInLayer = 4;
inline constexpr std::uint64_t kMostGemmsInLayer = 18;

// Whether so many softmax kernels may stand for attention beside so much matrix work.
[[nodiscard]] constexpr bool stand_for_attention(std::uint64_t softmaxes, std::uint64_t gemms) {
  return softmaxes > 0 && gemms >= kFewestGemmsInLayer * softmaxes &&
         gemms <= kMostGemmsInLayer * softmaxes;
}

[[nodiscard]] bool is_matrix_work(kernels::KernelRole role);

// By kernel of the stream: softmax kernels that may be attention which is written out. They stand
// between two products, with nothing beside them that chooses, as sampling and routers do.
[[nodiscard]] std::vector<bool> written_attention(const KernelStream& stream);

// Whether a body is one layer that mixes words otherwise than by attention (a state space, a
// recurrence): products and a norm, which experts do not have.
[[nodiscard]] bool is_layer_without_attention(const KernelStream& stream, Iteration body);

// Where the stretch is a body, what follows its last kernel is its first one.
enum class StretchEnd : std::uint8_t { kEnds, kRepeats };

// Of a stretch that goes forward and back, the forward layers, each once: backward may compute them
// again. 0 where there is no attention, nor softmax in its place.
[[nodiscard]] std::uint32_t count_layers(const KernelStream& stream, Iteration kernels,
                                         StretchEnd end);

}  // namespace lockstep::analysis::cycles
