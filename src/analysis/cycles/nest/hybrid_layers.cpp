// Divides how often names run in a pass by how often they run in a layer.
#include "analysis/cycles/nest/hybrid_layers.h"

#include <algorithm>
#include <set>

#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

// So many names of either source must agree, ...
constexpr std::uint32_t kFewestNames = 2;
// ... or so many of one, where they are half of all that say a number.
constexpr std::uint32_t kManyNames = 4;
// Loops of a smaller share of the kernels are no stack of layers.
constexpr double kSmallestShare = 0.1;

bool is_inference_with_attention(const KernelStream& stream) {
  bool has_attention = false;
  for (const KernelSymbol& symbol : stream.symbols) {
    if (symbol.facts.attention == kernels::AttentionUse::kBackward) return false;
    if (symbol.facts.role == kernels::KernelRole::kOptimizer) return false;
    has_attention = has_attention || symbol.facts.is_attention_anchor || symbol.facts.is_softmax;
  }
  return has_attention;
}

std::size_t kernels_in(const NestLoop& loop) {
  std::size_t kernels = 0;
  for (const LoopInstance& instance : loop.instances) {
    for (const Iteration& iteration : instance.iterations) kernels += iteration.size();
  }
  return kernels;
}

NameCounts count_names(const KernelStream& stream, Iteration kernels) {
  NameCounts names;
  for (std::uint32_t i = kernels.start; i < kernels.end; ++i) ++names[stream.names[i]];
  return names;
}

}  // namespace

std::vector<NameCounts> layers_without_attention(const KernelStream& stream, const Nest& nest) {
  std::vector<NameCounts> found;
  if (!is_inference_with_attention(stream)) return found;
  std::set<std::uint32_t> bodies;
  for (const NestLoop& loop : nest.loops) {
    const auto kernels = static_cast<double>(kernels_in(loop));
    if (kernels < kSmallestShare * static_cast<double>(stream.size())) continue;
    const Iteration body{loop.body_start, loop.body_start + loop.period};
    if (!is_layer_without_attention(stream, body)) continue;
    if (bodies.insert(loop.id).second) found.push_back(count_names(stream, body));
  }
  return found;
}

std::optional<HybridLayers::Told> HybridLayers::told(const NameCounts& in_layer,
                                                     const NameCounts& names,
                                                     std::uint32_t with_attention) {
  std::map<std::uint32_t, std::uint32_t> votes;  // by number of layers
  auto absent = static_cast<std::uint32_t>(in_layer.size());
  for (const auto& [name, here] : names) {  // a layer may be much longer than the stretch
    const auto found = in_layer.find(name);
    if (found == in_layer.end()) continue;
    --absent;
    if (here % found->second == 0) ++votes[here / found->second];
  }
  if (absent > 0) votes[0] = absent;
  std::optional<Told> best;
  std::uint32_t all = 0;
  for (const auto& [layers, own] : votes) all += own;
  for (const auto& [layers, own] : votes) {
    const auto both = votes.find(layers + with_attention);
    const std::uint32_t shared = both == votes.end() ? 0 : both->second;
    const bool agree = own >= kFewestNames && shared >= kFewestNames;
    const bool is_clear = own >= kManyNames && 2 * own >= all;
    if (!agree && !is_clear) continue;
    if (!best || own + shared > best->names) best = Told{layers, own + shared};
  }
  return best;
}

std::uint32_t HybridLayers::layers_in(Iteration kernels, std::uint32_t with_attention) const {
  if (bodies_.empty()) return with_attention;
  const NameCounts names = count_names(stream_, kernels);
  std::optional<Told> best;
  for (const NameCounts& body : bodies_) {
    const std::optional<Told> one = told(body, names, with_attention);
    if (one && (!best || one->names > best->names)) best = one;
  }
  return best ? with_attention + best->layers : 0;
}

}  // namespace lockstep::analysis::cycles
