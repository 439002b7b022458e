// Joins iterations.
#include "analysis/compare/items/folding.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace lockstep::analysis::compare {
namespace {

// Bodies nearer in length than this are compared as they are.
constexpr double kMinRatio = 1.5;
// More layers have no model that is traced.
constexpr std::uint32_t kMaxCount = 256;
// What the longer body may have beyond the joined ones, or lack, as a share of its length.
constexpr double kMaxRest = 0.25;

cycles::IterationTime joined(std::span<const cycles::IterationTime> parts) {
  cycles::IterationTime whole = parts.front();
  whole.kernels.end = parts.back().kernels.end;
  for (const cycles::IterationTime& part : parts.subspan(1)) {
    whole.wall += part.wall;
    whole.busy += part.busy;
    whole.kernel_sum += part.kernel_sum;
  }
  return whole;
}

}  // namespace

std::vector<std::uint32_t> fold_counts(std::uint32_t shorter, std::uint32_t longer) {
  std::vector<std::uint32_t> counts;
  if (shorter == 0) return counts;
  const double ratio = static_cast<double>(longer) / shorter;
  if (ratio < kMinRatio || ratio > kMaxCount) return counts;
  const auto nearest = static_cast<std::uint32_t>(std::lround(ratio));
  const auto below = static_cast<std::uint32_t>(ratio);
  // A pass is its layers and some kernels before and after.
  for (const std::uint32_t count : {nearest, below, below - 1}) {
    const double rest = std::abs(static_cast<double>(longer) - double{1} * count * shorter);
    const bool is_new = std::ranges::find(counts, count) == counts.end();
    if (count >= 2 && rest <= kMaxRest * longer && is_new) counts.push_back(count);
  }
  return counts;
}

std::optional<CompareItem> fold(const CompareItem& loop, std::uint32_t count) {
  if (!loop.side.loop) return std::nullopt;
  CompareItem folded = loop;
  folded.iterations.clear();
  folded.reaches_next.clear();
  const std::span<const cycles::IterationTime> all = loop.iterations;
  std::size_t first = 0;
  bool has_body = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool follows =
        i > first && loop.reaches_next[i - 1] && all[i].kernels.start == all[i - 1].kernels.end;
    if (i > first && !follows) first = i;
    if (i + 1 - first < count) continue;
    const auto parts = all.subspan(first, count);
    folded.iterations.push_back(joined(parts));
    folded.reaches_next.push_back(loop.reaches_next[i]);
    const bool is_regular = std::ranges::all_of(parts, [&](const cycles::IterationTime& part) {
      return part.kernels.size() == loop.body.size();
    });
    if (folded.iterations.size() == 1 || (is_regular && !has_body)) {
      folded.body = folded.iterations.back().kernels;
      has_body = is_regular;
    }
    first = i + 1;
  }
  if (folded.iterations.empty()) return std::nullopt;
  folded.side.folded = count;
  folded.side.start = folded.iterations.front().kernels.start;
  folded.side.kernels = folded.body.size();
  folded.side.iterations = static_cast<std::uint32_t>(folded.iterations.size());
  return folded;
}

}  // namespace lockstep::analysis::compare
