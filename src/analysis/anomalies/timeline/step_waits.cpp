// Marks of rows carried over to the steps that hold their kernels.
#include "analysis/anomalies/timeline/step_waits.h"

#include <algorithm>

namespace lockstep::analysis::anomalies {
namespace {

bool touches_bubble(const DeviceTimeline& timeline, std::span<const KernelGaps> gaps,
                    std::uint32_t kernel, Time limit) {
  if (gaps[kernel].to_device >= limit) return true;
  const Time end = timeline.kernels[kernel].end;
  const auto next = std::ranges::lower_bound(timeline.kernels.begin() + kernel + 1,
                                             timeline.kernels.end(), end, {}, &DeviceWork::start);
  if (next == timeline.kernels.end()) return false;
  const Time gap = gaps[static_cast<std::size_t>(next - timeline.kernels.begin())].to_device;
  return gap >= limit && next->start - gap == end;
}

}  // namespace

StepWaits step_waits(const DeviceTimeline& timeline, std::span<const KernelGaps> gaps,
                     const OpTable& ops, std::span<const std::uint32_t> kernels,
                     const Thresholds& thresholds) {
  const Time limit = limit_of(thresholds.significant_us, 0, Time{});
  StepWaits waits;
  for (const std::uint32_t kernel : kernels) {
    const OpRow& row = ops.rows[ops.row_of[kernel]];
    waits.has_wait_anchor |= row.is_wait_anchor;
    waits.has_wait_pollution |= row.has_wait_pollution;
    if (row.kind != trace::Kind::kAiCpu) continue;
    const auto aicpu = std::ranges::lower_bound(ops.aicpu, kernel, {}, &AicpuRow::kernel);
    if (aicpu->aicpu != AicpuClass::kExposed) continue;
    waits.aicpu.exposed += aicpu->duration;
    ++waits.aicpu.exposed_count;
    waits.aicpu.touches_bubble |= touches_bubble(timeline, gaps, kernel, limit);
  }
  return waits;
}

std::vector<StepWaits> waits_of_steps(const DeviceTimeline& timeline,
                                      std::span<const KernelGaps> gaps, const OpTable& ops,
                                      std::span<const StepFrame> steps,
                                      const Thresholds& thresholds) {
  std::vector<StepWaits> waits;
  waits.reserve(steps.size());
  for (const StepFrame& step : steps)
    waits.push_back(step_waits(timeline, gaps, ops, step.kernels, thresholds));
  return waits;
}

}  // namespace lockstep::analysis::anomalies
