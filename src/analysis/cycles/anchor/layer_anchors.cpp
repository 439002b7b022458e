// Attention families by signature, each with its time.
#include "analysis/cycles/anchor/layer_anchors.h"

#include <algorithm>
#include <map>

namespace lockstep::analysis::cycles {

std::uint32_t count_layer_anchors(const KernelStream& stream, Iteration body) {
  struct Family {
    WideTime time = 0;
    std::uint32_t count = 0;
  };
  std::map<std::uint32_t, Family> attention;  // by signature
  std::map<std::uint32_t, Family> softmax;
  for (std::uint32_t i = body.start; i < body.end; ++i) {
    const KernelSymbol& symbol = stream.symbol(i);
    const bool is_anchor = symbol.facts.is_attention_anchor;
    if (!is_anchor && !symbol.facts.is_softmax) continue;
    Family& family = (is_anchor ? attention : softmax)[symbol.signature];
    family.time += stream.duration(i).ps;
    ++family.count;
  }
  const auto& families = attention.empty() ? softmax : attention;
  const auto costliest =
      std::max_element(families.begin(), families.end(),
                       [](const auto& a, const auto& b) { return a.second.time < b.second.time; });
  return costliest == families.end() ? 0 : costliest->second.count;
}

}  // namespace lockstep::analysis::cycles
