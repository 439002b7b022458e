// What the parts of `conclude` share: each tells one kind of finding, from a device whose facts and
// tags are complete.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct FindingInput {
  const trace::Trace& trace;
  const DeviceAnomalies& device;
  std::span<const StepOutlier> outliers;
  const Thresholds& thresholds;

  // Nothing is known of what lies beyond the edge of the capture, so that gaps there count as
  // little as artefacts.
  [[nodiscard]] static bool is_judged(const Bubble& bubble) {
    return !bubble.is_artefact() && !bubble.touches_edge;
  }
  // Heavy by itself: as long as a heavy gap of its step, and no artefact.
  [[nodiscard]] bool is_heavy(const Bubble& bubble) const;
  [[nodiscard]] WideTime total_service() const;  // of all steps
};

[[nodiscard]] inline Finding finding_of(FindingKind kind, std::uint32_t group) {
  Finding finding;
  finding.kind = kind;
  finding.group = group;
  return finding;
}

// Told as the copies that ran in it.
[[nodiscard]] inline bool is_mostly_copy(const Bubble& bubble) {
  return 2 * bubble.copied.ps >= bubble.length().ps;
}

// From these shares of the group's time on, a stall that comes back is the first, or the second,
// thing to look at.
inline constexpr double kUrgentStall = 0.30;
inline constexpr double kWorthyStall = 0.10;
// Gaps with less of the device's time than this are worth knowing, no more.
inline constexpr double kWorthTelling = 0.01;
// An outlier that takes this share of its step is the first thing to look at.
inline constexpr double kUrgentOutlier = 0.50;
// Many short gaps matter from this share of the time on; below they are worth knowing.
inline constexpr double kWorthyLaunchGaps = 0.50;
// Exposed copies matter more from this share of the time on.
inline constexpr double kWorthyCopies = 0.20;
// Groups with less of the device's time than this get no finding about their many short gaps.
inline constexpr double kSmallGroup = 0.05;
// Single heavy gaps are told for so many groups and places at most, the costliest.
inline constexpr std::size_t kMostHeavyFindings = 10;

// Steps of the group with the tag; none when fewer than half of them have it.
[[nodiscard]] std::vector<std::uint32_t> tagged_steps(const FindingInput& input,
                                                      const StepGroup& group, Tag tag);
[[nodiscard]] WideTime service_of(const FindingInput& input,
                                  const std::vector<std::uint32_t>& steps);
// The names with the most time and their times, as a list.
[[nodiscard]] std::string costliest(const std::map<std::string, WideTime>& times);

}  // namespace lockstep::analysis::anomalies
