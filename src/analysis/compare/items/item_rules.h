// What decides which stretches of a stream are compared as one thing, settled for both traces at
// once: what is a unit in one of them only has no partner in the other.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::compare {

// Names of the kernels of a body, sorted: wherever it begins, and in both traces alike.
using BodyNames = std::vector<std::string>;
[[nodiscard]] BodyNames body_names(const cycles::StreamCycles& cycles, std::uint32_t loop);

// Whether a loop has a body and iterations enough to be compared by itself, whatever it takes.
[[nodiscard]] bool is_long(const cycles::StreamCycles& cycles, std::uint32_t loop);

// Where it has not: whether it takes so much of its stream that it is compared by itself all the
// same. One kernel that repeats must be nearly all of the stream.
[[nodiscard]] bool is_large(const cycles::StreamCycles& cycles, std::uint32_t loop);

// The same, where it is large in the other trace.
[[nodiscard]] bool may_be_large(const cycles::StreamCycles& cycles, std::uint32_t loop);

struct ItemRules {
  // Phases whose single passes are compared whole, as one segment. A single prefill always is.
  // Single passes of another phase are, when a loop of such passes in either trace asks for
  // partners; else their layers are the better sample. One of unknown phase may be any of them:
  // where it could be the partner of a whole pass, all single passes are whole.
  std::set<cycles::PhaseName> whole;
  // Loops that are not long, but large in either trace.
  std::set<BodyNames> large;
};

[[nodiscard]] ItemRules item_rules(const cycles::Cycles& a, const cycles::Cycles& b);

// Whether it is one pass and none of a loop; one whose phase is not known must have layers.
[[nodiscard]] bool is_single_pass(const cycles::PhaseSpan& span);

}  // namespace lockstep::analysis::compare
