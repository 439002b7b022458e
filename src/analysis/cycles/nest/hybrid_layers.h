// Layers of stacks that have several kinds of them: attention in some, a state space or a
// recurrence in the others.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// The bodies of loops that are layers without attention, each once, where the stream has attention
// too. None where it goes back: which layers are the same could not be told.
[[nodiscard]] std::vector<NameCounts> layers_without_attention(const KernelStream& stream,
                                                               const Nest& nest);

// How many layers a stretch has, in loops or not, by the kernels of those loops: kernels that only
// layers without attention have, and kernels that layers with attention have as well (norms, the
// feed-forward part). They must agree, or many of the first sort.
class HybridLayers {
 public:
  // Both must outlive it.
  HybridLayers(const KernelStream& stream, const Nest& nest)
      : stream_(stream), bodies_(nest.without_attention) {}

  // All layers of a stretch that has so many with attention; 0 where the sources do not agree.
  [[nodiscard]] std::uint32_t layers_in(Iteration kernels, std::uint32_t with_attention) const;

 private:
  // How many layers with these names in each are among those kernels, and how many names say so.
  struct Told {
    std::uint32_t layers = 0;
    std::uint32_t names = 0;
  };
  [[nodiscard]] static std::optional<Told> told(const NameCounts& in_layer, const NameCounts& names,
                                                std::uint32_t with_attention);

  const KernelStream& stream_;
  const std::vector<NameCounts>& bodies_;  // a kind of layers without attention each
};

}  // namespace lockstep::analysis::cycles
