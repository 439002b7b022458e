// Sums of lengths, and a binary search among begins.
#include "algo/intervals/covering_index.h"

#include <algorithm>

namespace lockstep::algo {

CoveringIndex::CoveringIndex(std::span<const Interval> covering) : covering_(covering) {
  before_.reserve(covering.size());
  std::uint64_t sum = 0;
  for (const Interval& piece : covering) {
    before_.push_back(sum);
    sum += distance_between(piece.begin, piece.end);
  }
}

std::uint64_t CoveringIndex::length_before(std::int64_t at) const {
  const auto after = std::ranges::upper_bound(covering_, at, {}, &Interval::begin);
  if (after == covering_.begin()) return 0;
  const auto last = static_cast<std::size_t>(after - covering_.begin()) - 1;
  const Interval& piece = covering_[last];
  return before_[last] + distance_between(piece.begin, std::min(piece.end, at));
}

std::uint64_t CoveringIndex::length_in(const Interval& interval) const {
  if (interval.is_empty() || covering_.empty()) return 0;
  return length_before(interval.end) - length_before(interval.begin);
}

}  // namespace lockstep::algo
