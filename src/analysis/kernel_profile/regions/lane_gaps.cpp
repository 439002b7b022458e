// A heap of bounded size.
#include "analysis/kernel_profile/regions/lane_gaps.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace lockstep::analysis::kernel_profile {
namespace {

bool is_wanted_more(const LaneGap& a, const LaneGap& b) {
  return std::tuple(b.duration, a.lane, a.start) < std::tuple(a.duration, b.lane, b.start);
}

}  // namespace

void LongestGaps::keep(const LaneGap& gap) {
  if (gaps_.size() == count_) {
    if (!is_wanted_more(gap, gaps_.front())) return;
    std::ranges::pop_heap(gaps_, is_wanted_more);
    gaps_.pop_back();
  }
  gaps_.push_back(gap);
  std::ranges::push_heap(gaps_, is_wanted_more);
}

std::vector<LaneGap> LongestGaps::take() {
  std::ranges::sort(gaps_, is_wanted_more);
  return std::exchange(gaps_, {});
}

}  // namespace lockstep::analysis::kernel_profile
