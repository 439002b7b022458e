// Sums by sharer, by sorting.
#include "analysis/kernel_profile/figures/imbalance.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "analysis/kernel_profile/clocks/saturated_time.h"

namespace lockstep::analysis::kernel_profile {
namespace {

struct Share {
  std::uint32_t launch = 0;
  std::uint64_t sharer = 0;
  WideTime time = 0;
};

std::optional<std::uint64_t> sharer_of(const trace::KernelLane& lane, Sharer sharer) {
  switch (sharer) {
    case Sharer::kBlock:
      return lane.block;
    case Sharer::kMultiprocessor:
      if (lane.sm < 0) return std::nullopt;
      return static_cast<std::uint64_t>(lane.sm);
    case Sharer::kGroup:
      break;
  }
  return lane.group;
}

// One share per launch and sharer, by launch.
std::vector<Share> sum_up(std::vector<Share> shares) {
  std::ranges::sort(shares, {}, [](const Share& s) { return std::tuple(s.launch, s.sharer); });
  std::vector<Share> sums;
  for (const Share& share : shares) {
    const bool is_new =
        sums.empty() || sums.back().launch != share.launch || sums.back().sharer != share.sharer;
    if (is_new) {
      sums.push_back(share);
    } else {
      sums.back().time += share.time;
    }
  }
  return sums;
}

}  // namespace

Imbalance measure_imbalance(const trace::KernelProfile& profile, std::span<const LaneResult> lanes,
                            Sharer sharer) {
  std::vector<Share> shares;
  for (const LaneResult& result : lanes) {
    const trace::KernelLane& lane = profile.lanes[result.lane];
    if (const auto of = sharer_of(lane, sharer))
      shares.push_back({lane.launch, *of, WideTime{result.covered.ps}});
  }
  const std::vector<Share> sums = sum_up(std::move(shares));
  WideTime maxima = 0;
  WideTime means = 0;
  WideTime launches = 0;
  for (auto first = sums.begin(); first != sums.end();) {
    const auto last = std::find_if(
        first, sums.end(), [&](const Share& share) { return share.launch != first->launch; });
    WideTime total = 0;
    for (auto share = first; share != last; ++share) total += share->time;
    maxima += std::ranges::max_element(first, last, {}, &Share::time)->time;
    means += total / (last - first);
    ++launches;
    first = last;
  }
  Imbalance imbalance;
  if (launches == 0) return imbalance;
  imbalance.max = saturated_time(maxima / launches);
  imbalance.mean = saturated_time(means / launches);
  if (means > 0) imbalance.ratio = static_cast<double>(maxima) / static_cast<double>(means);
  return imbalance;
}

}  // namespace lockstep::analysis::kernel_profile
