// How much of an interval a covering covers: many questions about one covering.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algo/intervals/intervals.h"

namespace lockstep::algo {

// Built in linear time from intervals that are sorted and apart from each other (a covering);
// questions take the logarithm of their number. Keeps a view of them.
class CoveringIndex {
 public:
  explicit CoveringIndex(std::span<const Interval> covering);

  // Of `interval`, inside the covering; 0 of an empty one.
  [[nodiscard]] std::uint64_t length_in(const Interval& interval) const;

 private:
  [[nodiscard]] std::uint64_t length_before(std::int64_t at) const;

  std::span<const Interval> covering_;
  std::vector<std::uint64_t> before_;  // length of all intervals before each
};

}  // namespace lockstep::algo
