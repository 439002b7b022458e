// Steps judged one by one, then counted.
#include "analysis/anomalies/verdict/step_verdicts.h"

#include <array>

#include "algo/statistics/statistics.h"

namespace lockstep::analysis::anomalies {
namespace {

double median_kernels(std::span<const StepFacts> steps) {
  std::vector<double> counts;
  for (const StepFacts& step : steps) counts.push_back(step.kernels);
  return algo::median_of_numbers(counts);
}

Tags dominant_tags(std::span<const Verdict> verdicts, const GroupMembers& group) {
  std::array<std::size_t, kTagCount> counts{};
  for (const std::uint32_t s : group.steps) {
    for (std::size_t t = 0; t < kTagCount; ++t)
      counts[t] += verdicts[s].tags.has(static_cast<Tag>(t)) ? 1 : 0;
  }
  Tags dominant;
  for (std::size_t t = 0; t < kTagCount; ++t) {
    if (counts[t] > 0 && 2 * counts[t] >= group.steps.size()) dominant.add(static_cast<Tag>(t));
  }
  return dominant;
}

// Idle time that is too much and that nothing recorded explains.
bool needs_followup(Tags dominant, SoftLabels labels) {
  if (dominant.has(Tag::kUntracedHostBlockingRisk)) return true;
  if (!dominant.has(Tag::kDeviceIdleGapHeavy)) return false;
  return labels.empty() || labels.has(SoftLabel::kUntracedHostBlocking) ||
         labels.has(SoftLabel::kInsufficientEvidence) || dominant.has(Tag::kWaitPollutionRisk);
}

}  // namespace

std::vector<GroupFacts> facts_of_groups(std::span<const StepFacts> steps,
                                        std::span<const GroupMembers> groups,
                                        std::span<const GroupStatistics> statistics,
                                        std::span<const ShapeExample> shapes) {
  const double kernels = median_kernels(steps);
  std::vector<GroupFacts> facts;
  facts.reserve(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    facts.push_back({.steps = static_cast<std::uint32_t>(groups[g].steps.size()),
                     .is_recurring = statistics[g].is_recurring,
                     .median_kernels = kernels,
                     .has_two_shapes = shapes[g].has_value()});
  }
  return facts;
}

std::vector<Verdict> judge_steps(std::span<const StepFacts> facts,
                                 std::span<const std::uint32_t> group_of,
                                 std::span<const GroupFacts> groups, const Thresholds& thresholds,
                                 AnomalyRules rules) {
  std::vector<Verdict> verdicts;
  verdicts.reserve(facts.size());
  for (std::size_t s = 0; s < facts.size(); ++s)
    verdicts.push_back(judge_step(facts[s], groups[group_of[s]], thresholds, rules));
  return verdicts;
}

std::vector<GroupTags> tags_of_groups(std::span<const Verdict> verdicts,
                                      std::span<const GroupMembers> groups,
                                      std::span<const GroupStatistics> statistics) {
  std::vector<GroupTags> tags;
  tags.reserve(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Tags dominant = dominant_tags(verdicts, groups[g]);
    tags.push_back({.dominant_tags = dominant,
                    .requires_followup = needs_followup(dominant, statistics[g].labels)});
  }
  return tags;
}

}  // namespace lockstep::analysis::anomalies
