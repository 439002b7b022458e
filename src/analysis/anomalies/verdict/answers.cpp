// Sums over a device, and what they answer.
#include "analysis/anomalies/verdict/answers.h"

#include <algorithm>
#include <vector>

#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {
namespace {

void add_steps(const JudgedDevice& device, FiveAnswers& sum) {
  for (const AnomalyStep& step : device.steps) {
    const GapMetrics& gaps = step.facts.gaps;
    sum.service += gaps.service.ps;
    sum.underfeed += gaps.underfeed.ps;
    sum.dispatch += gaps.dispatch_total.ps;
    sum.python_frames += step.facts.python_frames;
    if (step.tags.has(Tag::kHostOriginatedRisk)) ++sum.host_risk_steps;
    if (step.tags.has(Tag::kUntracedHostBlockingRisk)) ++sum.untraced_risk_steps;
  }
}

// And the time of bubbles by group.
std::vector<WideTime> add_bubbles(const FindingInput& input, FiveAnswers& sum) {
  const JudgedDevice& device = input.device;
  std::vector<WideTime> by_group(device.groups.size());
  for (std::uint32_t b = 0; b < device.bubbles.size(); ++b) {
    const Bubble& bubble = device.bubbles[b];
    const WideTime length = bubble.length().ps;
    if (!bubble.is_judged()) {
      (bubble.is_artefact() ? sum.artefact : sum.edge) += length;
      continue;
    }
    ++sum.count;
    sum.bubbles += length;
    sum.copied += bubble.copied.ps;
    by_group[device.steps[bubble.step].group] += length;
    if (bubble.has_launch) sum.launch_known += length;
    sum.host_part += bubble.host_part.ps;
    sum.queued_part += bubble.queued_part.ps;
    sum.host_covered += bubble.host_covered.ps;
    if (input.is_heavy(bubble)) ++sum.heavy;
    if (sum.longest == kNoKernel || device.bubbles[sum.longest].length() < bubble.length())
      sum.longest = b;
  }
  return by_group;
}

void add_findings(const JudgedDevice& device, std::span<const Finding> findings, FiveAnswers& sum) {
  for (const Finding& finding : findings) {
    if (finding.kind == FindingKind::kStepOutlier) sum.outliers.push_back(*finding.step);
    if (finding.kind == FindingKind::kCommStall && finding.priority <= Priority::kP1)
      sum.stalled += finding.cost;
  }
  std::ranges::sort(sum.outliers);
  const auto rest = std::ranges::unique(sum.outliers);
  sum.outliers.erase(rest.begin(), rest.end());
  const auto worst = std::ranges::max_element(device.artefacts, {}, &Artefact::idle);
  if (worst != device.artefacts.end())
    sum.longest_artefact = static_cast<std::uint32_t>(worst - device.artefacts.begin());
}

void choose_group(const JudgedDevice& device, const std::vector<WideTime>& by_group,
                  FiveAnswers& sum) {
  const auto most = std::ranges::max_element(by_group);
  if (most == by_group.end()) return;
  sum.group = static_cast<std::uint32_t>(most - by_group.begin());
  sum.group_bubbles = *most;
  std::vector<const Bubble*> bubbles;
  for (const Bubble& bubble : device.bubbles) {
    if (device.steps[bubble.step].group == sum.group) bubbles.push_back(&bubble);
  }
  std::vector<MeasuredGaps> gaps;
  for (const std::uint32_t s : device.groups[sum.group].steps)
    gaps.push_back(device.steps[s].facts.gaps);
  sum.idle_by_scope = idle_by_scope(gaps, bubbles);
}

bool is_high(const FindingInput& input, const FiveAnswers& sum) {
  return static_cast<double>(sum.judged()) >=
         input.thresholds.high_underfeed * static_cast<double>(sum.service);
}

IdleVerdict idle_verdict(const FindingInput& input, const FiveAnswers& sum) {
  if (input.device.steps.empty()) return IdleVerdict::kNothingKnown;
  if (2 * sum.artefact > sum.underfeed && sum.heavy == 0) return IdleVerdict::kArtefact;
  if (sum.count == 0) return IdleVerdict::kNone;
  if (sum.heavy > 0) return IdleVerdict::kHeavy;
  return is_high(input, sum) ? IdleVerdict::kHigh : IdleVerdict::kSmall;
}

HostVerdict host_verdict(const FindingInput& input, const FiveAnswers& sum) {
  if (sum.bubbles == 0) return HostVerdict::kNoGaps;
  if (sum.launch_known == 0) return HostVerdict::kUnknown;
  const bool is_host = static_cast<double>(sum.host_part) >=
                       input.thresholds.host_part_share * static_cast<double>(sum.launch_known);
  if (!is_host) return HostVerdict::kNo;
  const bool has_risk = sum.host_risk_steps > 0 || sum.untraced_risk_steps > 0;
  const bool matters = sum.heavy > 0 || is_high(input, sum) || has_risk;
  return matters ? HostVerdict::kYes : HostVerdict::kHardly;
}

}  // namespace

FiveAnswers five_answers(const FindingInput& input, std::span<const Finding> findings) {
  FiveAnswers answers;
  add_steps(input.device, answers);
  const std::vector<WideTime> by_group = add_bubbles(input, answers);
  add_findings(input.device, findings, answers);
  choose_group(input.device, by_group, answers);
  answers.idle = idle_verdict(input, answers);
  answers.host = host_verdict(input, answers);
  return answers;
}

}  // namespace lockstep::analysis::anomalies
