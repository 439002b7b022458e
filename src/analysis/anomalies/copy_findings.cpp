// Findings about copies that run while no kernel does.
#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "analysis/anomalies/finding_parts.h"
#include "analysis/anomalies/finding_texts.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Steps whose exposed copies other findings tell, but for what does not matter.
std::vector<char> steps_with_told_copies(const FindingInput& input, const std::vector<char>& told) {
  const std::vector<AnomalyStep>& steps = input.device.steps;
  std::vector<Time> rest;
  for (const AnomalyStep& step : steps) rest.push_back(step.facts.gaps.exposed_copy);
  for (std::size_t b = 0; b < told.size(); ++b) {
    const Bubble& bubble = input.device.bubbles[b];
    if (told[b] != 0) rest[bubble.step] = rest[bubble.step] - bubble.copied;
  }
  std::vector<char> is_told;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    const Time limit = limit_of(input.thresholds.copy_exposed_us,
                                input.thresholds.copy_exposed_share, steps[s].facts.gaps.service);
    is_told.push_back(rest[s] < limit ? 1 : 0);
  }
  for (const StepOutlier& outlier : input.outliers) {
    if (outlier.cause == StepOutlier::Cause::kCopy) is_told[outlier.step] = 1;
  }
  return is_told;
}

// The bubble of these steps with most copying in it; the earliest of equals.
std::optional<std::uint32_t> longest_copied(const FindingInput& input,
                                            const std::vector<std::uint32_t>& steps) {
  const std::vector<Bubble>& bubbles = input.device.bubbles;
  std::optional<std::uint32_t> best;
  for (std::uint32_t b = 0; b < bubbles.size(); ++b) {
    if (bubbles[b].copied.ps == 0 || !std::ranges::binary_search(steps, bubbles[b].step)) continue;
    if (!best || bubbles[b].copied > bubbles[*best].copied) best = b;
  }
  return best;
}

}  // namespace

std::vector<Finding> exposed_copies(const FindingInput& input, const std::vector<char>& told) {
  const std::vector<char> is_told = steps_with_told_copies(input, told);
  std::vector<Finding> findings;
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    const StepGroup& group = input.device.groups[g];
    auto tagged = tagged_steps(input, group, Tag::kCopyExposed);
    std::erase_if(tagged, [&](std::uint32_t s) { return is_told[s] != 0; });
    if (tagged.empty()) continue;
    WideTime exposed = 0;
    for (const std::uint32_t s : tagged)
      exposed += input.device.steps[s].facts.gaps.exposed_copy.ps;
    const WideTime service = service_of(input, tagged);
    Finding finding = finding_of(FindingKind::kCopyExposed, g);
    finding.priority = static_cast<double>(exposed) >= kWorthyCopies * static_cast<double>(service)
                           ? Priority::kP1
                           : Priority::kP2;
    finding.cost = exposed;
    finding.labels = {SoftLabel::kSyncOrH2d};
    finding.bubble = longest_copied(input, tagged);
    if (finding.bubble) finding.scope = input.device.bubbles[*finding.bubble].scope;
    if (tagged.size() == 1) finding.step = tagged.front();
    finding.text = fmt::format(
        "In {} of group {} copies run for {} while no kernel does ({} of the time).",
        counted(tagged.size(), "step"), group.id, time_text(exposed), share_text(exposed, service));
    std::map<std::string, WideTime> names;
    for (const DeviceWork& copy : input.device.timeline.copies)
      names[event_text(input.trace, copy.event)] += copy.duration().ps;
    finding.evidence.push_back(fmt::format("Copies and sets of the device: {}.", costliest(names)));
    finding.evidence.emplace_back(check_of(SoftLabel::kSyncOrH2d));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep
