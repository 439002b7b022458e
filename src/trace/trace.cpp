// Words for the parts of a trace.
#include "trace/trace.h"

#include <array>

namespace lockstep::trace {

std::string_view name_of(RankEvidence evidence) {
  static constexpr std::array<std::string_view, 3> kNames = {"none", "metadata", "name"};
  return kNames[static_cast<std::size_t>(evidence)];
}

std::string_view name_of(SourcePart::Use use) {
  static constexpr std::array<std::string_view, 3> kNames = {"used", "unused", "missing"};
  return kNames[static_cast<std::size_t>(use)];
}

}  // namespace lockstep::trace
