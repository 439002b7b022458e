// The longest times that lanes spent outside all regions.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/kernel_profile/figures/kernel_summary.h"

namespace lockstep::analysis::kernel_profile {

// Keeps the `count` longest of many; of equal ones the first by lane, then by start.
class LongestGaps {
 public:
  explicit LongestGaps(std::size_t count) : count_(count) {}

  void add(const LaneGap& gap) {
    if (gaps_.size() < count_ || (count_ != 0 && !(gap.duration < gaps_.front().duration)))
      keep(gap);
  }
  void absorb(const LongestGaps& other) {
    for (const LaneGap& gap : other.gaps_) add(gap);
  }
  // The longest first.
  [[nodiscard]] std::vector<LaneGap> take();

 private:
  void keep(const LaneGap& gap);

  std::size_t count_ = 0;
  std::vector<LaneGap> gaps_;  // a heap, the least wanted in front
};

}  // namespace lockstep::analysis::kernel_profile
