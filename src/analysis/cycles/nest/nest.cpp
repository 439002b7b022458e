// Words and numbers for what a nest is made of.
#include "analysis/cycles/nest/nest.h"

#include <algorithm>
#include <array>

namespace lockstep::analysis::cycles {

std::string_view name_of(BorderEvidence evidence) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "only_choice", "annotation", "graph_launch", "gap", "leftmost", "anchor"};
  return kNames[static_cast<std::size_t>(evidence)];
}

std::uint32_t usual_iterations(const NestLoop& loop) {
  std::map<std::uint32_t, std::uint32_t> occurrences;
  for (const LoopInstance& instance : loop.instances)
    ++occurrences[static_cast<std::uint32_t>(instance.iterations.size())];
  std::uint32_t usual = 0;
  std::uint32_t most = 0;
  for (const auto& [iterations, count] : occurrences) {
    if (count >= most) usual = iterations;
    most = std::max(most, count);
  }
  return usual;
}

}  // namespace lockstep::analysis::cycles
