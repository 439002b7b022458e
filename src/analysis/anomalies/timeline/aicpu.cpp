// Overlap of AI CPU kernels with what the AI cores compute.
#include "analysis/anomalies/timeline/aicpu.h"

#include <algorithm>

#include "algo/intervals/covering_index.h"
#include "analysis/anomalies/timeline/ratio.h"

namespace lockstep::analysis::anomalies {
namespace {

// What AI cores compute. The timeline's own covering has the AI CPU in it, which cannot hide
// itself.
std::vector<algo::Interval> core_covering(const DeviceTimeline& timeline) {
  std::vector<algo::Interval> cores;
  for (const DeviceWork& kernel : timeline.kernels) {
    if (kernel.kind == trace::Kind::kKernel) cores.push_back({kernel.start.ps, kernel.end.ps});
  }
  algo::reduce_to_covering(cores);
  return cores;
}

AicpuClass class_of(double masked, const Thresholds& thresholds) {
  if (masked >= thresholds.aicpu_masked) return AicpuClass::kMasked;
  return masked >= thresholds.aicpu_exposed ? AicpuClass::kPartlyExposed : AicpuClass::kExposed;
}

}  // namespace

std::vector<AicpuRow> aicpu_rows(const DeviceTimeline& timeline, const Thresholds& thresholds) {
  const auto is_aicpu = [](const DeviceWork& kernel) { return kernel.kind == trace::Kind::kAiCpu; };
  if (std::ranges::none_of(timeline.kernels, is_aicpu)) return {};
  const std::vector<algo::Interval> cores = core_covering(timeline);
  const algo::CoveringIndex computing(cores);
  std::vector<AicpuRow> rows;
  for (std::uint32_t i = 0; i < timeline.kernels.size(); ++i) {
    const DeviceWork& kernel = timeline.kernels[i];
    if (!is_aicpu(kernel)) continue;
    const std::uint64_t hidden = computing.length_in({kernel.start.ps, kernel.end.ps});
    const Time masked{static_cast<std::int64_t>(hidden)};
    const double share = ratio_of(masked, kernel.duration());
    rows.push_back({i, kernel.duration(), masked, class_of(share, thresholds)});
  }
  return rows;
}

}  // namespace lockstep::analysis::anomalies
