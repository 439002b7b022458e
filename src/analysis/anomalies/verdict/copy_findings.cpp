// Findings about copies that run while no kernel does.
#include "analysis/anomalies/verdict/copy_findings.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lockstep::analysis::anomalies {
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

// The steps of a group whose exposed copies are to be told.
struct CopyingSteps {
  std::uint32_t group = 0;
  std::vector<std::uint32_t> steps;
  WideTime exposed = 0;
};

std::vector<CopyingSteps> copying_steps(const FindingInput& input, const std::vector<char>& told) {
  const std::vector<char> is_told = steps_with_told_copies(input, told);
  std::vector<CopyingSteps> all;
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    CopyingSteps one{.group = g,
                     .steps = tagged_steps(input, input.device.groups[g], Tag::kCopyExposed)};
    std::erase_if(one.steps, [&](std::uint32_t s) { return is_told[s] != 0; });
    for (const std::uint32_t s : one.steps)
      one.exposed += input.device.steps[s].facts.gaps.exposed_copy.ps;
    if (!one.steps.empty()) all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &CopyingSteps::exposed);
  return all;
}

bool is_share(WideTime part, double share, WideTime whole) {
  return static_cast<double>(part) >= share * static_cast<double>(whole);
}

Finding copy_finding(const FindingInput& input, const CopyingSteps& copying) {
  const WideTime service = service_of(input, copying.steps);
  Finding finding = finding_of(FindingKind::kCopyExposed, copying.group);
  finding.priority = is_share(copying.exposed, input.thresholds.worthy_copies, service)
                         ? Priority::kP1
                         : Priority::kP2;
  finding.cost = copying.exposed;
  finding.labels = {SoftLabel::kSyncOrH2d};
  finding.bubble = longest_copied(input, copying.steps);
  if (finding.bubble) finding.scope = input.device.bubbles[*finding.bubble].scope;
  if (copying.steps.size() == 1) finding.step = copying.steps.front();
  finding.detail = ExposedCopies{.steps = copying.steps.size(), .service = service};
  return finding;
}

std::vector<NamedTime> costliest_copies(const FindingInput& input) {
  std::map<std::string, WideTime> names;
  for (const DeviceWork& copy : input.device.timeline.copies)
    names[event_name(input.trace, copy.event)] += copy.duration().ps;
  return costliest(names);
}

}  // namespace

std::vector<Finding> exposed_copies(const FindingInput& input, const std::vector<char>& told) {
  const std::vector<CopyingSteps> all = copying_steps(input, told);
  if (all.empty()) return {};
  WideTime exposed = 0;
  for (const CopyingSteps& copying : all) exposed += copying.exposed;
  const bool is_worth_telling =
      is_share(exposed, input.thresholds.worth_telling, input.total_service());
  const std::vector<NamedTime> copies = costliest_copies(input);
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < std::min(all.size(), kMostHeavyFindings); ++i) {
    Finding finding = copy_finding(input, all[i]);
    if (!is_worth_telling) finding.priority = Priority::kP3;
    std::get<ExposedCopies>(finding.detail).costliest = copies;
    findings.push_back(std::move(finding));
  }
  std::get<ExposedCopies>(findings.back().detail).untold = all.size() - findings.size();
  return findings;
}

}  // namespace lockstep::analysis::anomalies
