// Words for what a nest is made of.
#include "analysis/cycles/nest/nest.h"

#include <array>

namespace lockstep::analysis::cycles {

std::string_view name_of(BorderEvidence evidence) {
  static constexpr std::array<std::string_view, 6> kNames = {
      "only_choice", "annotation", "graph_launch", "gap", "leftmost", "anchor"};
  return kNames[static_cast<std::size_t>(evidence)];
}

}  // namespace lockstep::analysis::cycles
