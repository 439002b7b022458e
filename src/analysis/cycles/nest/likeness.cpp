// Counts what each of two iterations has alone.
#include "analysis/cycles/nest/likeness.h"

#include <algorithm>

#include "algo/sequences/edit_distance.h"

namespace lockstep::analysis::cycles {

std::uint32_t most_edits(const Likeness& likeness, std::uint32_t period) {
  const double share = likeness.replaced + likeness.added;
  return std::min(kMostEdits, static_cast<std::uint32_t>(share * period));
}

std::optional<std::uint32_t> distance_if_alike(const Likeness& likeness,
                                               std::span<const std::uint32_t> body,
                                               std::span<const std::uint32_t> other) {
  const auto period = static_cast<std::uint32_t>(body.size());
  const auto alignment = algo::edit_alignment(body, other, most_edits(likeness, period));
  if (!alignment) return std::nullopt;
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < other.size(); ++i) {
    const std::uint32_t partner = alignment->partners[i];
    if (partner != algo::kUnaligned && body[partner] == other[i]) ++equal;
  }
  const std::uint32_t missing = period - equal;
  const auto added = static_cast<std::uint32_t>(other.size()) - equal;
  if (std::min(missing, added) > likeness.replaced * period) return std::nullopt;
  if (std::max(missing, added) > likeness.added * period) return std::nullopt;
  return alignment->distance;
}

}  // namespace lockstep::analysis::cycles
