// Sums by operator.
#include "analysis/anomalies/structure/block_side.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "analysis/anomalies/timeline/clocks.h"

namespace lockstep::analysis::anomalies {

Time block_limit(const StructureInput& input, trace::TrackId main, const Thresholds& thresholds) {
  const Time limit = limit_of(thresholds.small_op_us, 0, Time{});
  WideTime large = 0;
  WideTime all = 0;
  for (const std::uint32_t kernel : input.kernels) {
    const DeviceWork& work = input.timeline.kernels[kernel];
    if (!is_of_block(work, main, Time{})) continue;
    all += work.duration().ps;
    if (work.duration() >= limit) large += work.duration().ps;
  }
  return 2 * large < all ? Time{} : limit;
}

BlockOrSide sum_up(const StructureInput& input, std::span<const std::uint32_t> kernels,
                   const Thresholds& thresholds) {
  ClockSum all;
  std::vector<ClockSum> sums;
  BlockOrSide part;
  std::unordered_map<std::uint32_t, std::uint32_t> op_of_row;
  for (const std::uint32_t kernel : kernels) {
    const std::uint32_t row = input.ops.row_of[kernel];
    const auto [op, is_new] =
        op_of_row.try_emplace(row, static_cast<std::uint32_t>(part.ops.size()));
    if (is_new) {
      part.ops.push_back({row, 0, {}});
      sums.emplace_back();
    }
    ++part.ops[op->second].count;
    sums[op->second].add(input.timeline.kernels[kernel], input.gaps[kernel]);
    all.add(input.timeline.kernels[kernel], input.gaps[kernel]);
  }
  part.kernels = static_cast<std::uint32_t>(kernels.size());
  part.clocks = all.clocks();
  part.readings = readings_of(part.clocks, thresholds);
  for (std::size_t i = 0; i < sums.size(); ++i) part.ops[i].clocks = sums[i].clocks();
  std::ranges::sort(part.ops, [](const OpShare& a, const OpShare& b) {
    if (a.clocks.total_cost != b.clocks.total_cost)
      return a.clocks.total_cost > b.clocks.total_cost;
    return a.row < b.row;
  });
  part.by_duration.resize(part.ops.size());
  std::iota(part.by_duration.begin(), part.by_duration.end(), 0U);
  std::ranges::stable_sort(part.by_duration, std::ranges::greater{},
                           [&](std::uint32_t i) { return part.ops[i].clocks.kernel_sum; });
  return part;
}

}  // namespace lockstep::analysis::anomalies
