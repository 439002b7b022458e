// What the parts of `conclude` share: each tells one kind of finding, from a device whose facts and
// tags are complete.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/anomalies/judged_device.h"
#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/verdict/finding.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

struct FindingInput {
  const trace::Trace& trace;
  const JudgedDevice& device;
  std::span<const StepOutlier> outliers;
  const Thresholds& thresholds;

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

// Single heavy gaps, and copies, are told for so many groups and places at most, the most urgent or
// costliest; the last one tells how many more there are.
inline constexpr std::size_t kMostHeavyFindings = 10;

// Steps of the group with the tag; none when fewer than half of them have it.
[[nodiscard]] std::vector<std::uint32_t> tagged_steps(const FindingInput& input,
                                                      const StepGroup& group, Tag tag);
[[nodiscard]] WideTime service_of(const FindingInput& input,
                                  const std::vector<std::uint32_t>& steps);
// The few names with the most time, the costliest first.
[[nodiscard]] std::vector<NamedTime> costliest(const std::map<std::string, WideTime>& times);
// The whole name, demangled: names that are alike in short are not added up. Empty for no event.
[[nodiscard]] std::string event_name(const trace::Trace& trace, trace::EventId event);
// Whether the host spends a bubble inside the operator that launches the next kernel, and nothing
// that was recorded inside of it.
[[nodiscard]] bool is_slow_operator(const Bubble& bubble);

}  // namespace lockstep::analysis::anomalies
