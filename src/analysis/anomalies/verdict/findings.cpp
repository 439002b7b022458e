// Puts the findings of a device together, the most important first.
#include "analysis/anomalies/verdict/findings.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/anomalies/verdict/answers.h"
#include "analysis/anomalies/verdict/causes.h"
#include "analysis/anomalies/verdict/copy_findings.h"
#include "analysis/anomalies/verdict/finding_parts.h"
#include "analysis/anomalies/verdict/rest_findings.h"
#include "analysis/anomalies/verdict/stall_findings.h"

namespace lockstep::analysis::anomalies {
namespace {

void append(std::vector<Finding> some, std::vector<Finding>& all) {
  std::ranges::move(some, std::back_inserter(all));
}

bool is_unexplained(SoftLabels labels) {
  return labels.has(SoftLabel::kUntracedHostBlocking) ||
         labels.has(SoftLabel::kInsufficientEvidence);
}

bool needs_host_followup(const JudgedDevice& device, const std::vector<Finding>& findings) {
  const auto is_open = [](const Finding& finding) {
    return finding.priority <= Priority::kP1 && is_unexplained(finding.labels);
  };
  return std::ranges::any_of(device.groups, &StepGroup::requires_followup) ||
         std::ranges::any_of(findings, is_open);
}

// That of the label with the most bubble time; of nothing to explain one is sure.
Confidence confidence_of(const JudgedDevice& device, const std::vector<SoftCause>& causes) {
  if (!causes.empty()) return causes.front().confidence;
  return std::ranges::any_of(device.bubbles, &Bubble::is_judged) ? Confidence::kLow
                                                                 : Confidence::kHigh;
}

std::vector<Finding> findings_of(const FindingInput& input) {
  ToldFindings recurring = recurring_stalls(input);
  ToldFindings outlying = step_outliers(input, std::move(recurring.told));
  ToldFindings heavy = heavy_bubbles(input, std::move(outlying.told));
  std::vector<Finding> findings = std::move(recurring.findings);
  append(std::move(outlying.findings), findings);
  append(std::move(heavy.findings), findings);
  append(short_gaps(input), findings);
  append(comm_stalls(input), findings);
  append(exposed_copies(input, heavy.told), findings);
  append(exposed_aicpu(input), findings);
  append(artefact_findings(input), findings);
  std::ranges::stable_sort(findings, {}, [](const Finding& finding) {
    return std::tuple(finding.priority, -finding.cost);
  });
  return findings;
}

}  // namespace

Conclusion conclude(const trace::Trace& trace, std::span<const StepOutlier> outliers,
                    const Thresholds& thresholds, const JudgedDevice& device) {
  const FindingInput input{trace, device, outliers, thresholds};
  std::vector<Finding> findings = findings_of(input);
  std::vector<SoftCause> causes = soft_causes(input, findings);
  FiveAnswers answers = five_answers(input, findings);
  const bool needs_followup = needs_host_followup(device, findings);
  const Confidence confidence = confidence_of(device, causes);
  return {.findings = std::move(findings),
          .causes = std::move(causes),
          .requires_host_followup = needs_followup,
          .confidence = confidence,
          .answers = std::move(answers)};
}

}  // namespace lockstep::analysis::anomalies
