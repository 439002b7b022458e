// The rules that raise tags: one function a tag, numbers in, a reason out.
#pragma once

#include <vector>

#include "analysis/anomalies/steps/step_facts.h"
#include "analysis/anomalies/verdict/tag_reason.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"

namespace lockstep::analysis::anomalies {

struct Verdict {
  Tags tags;
  std::vector<TagReason> reasons;  // one a tag, in the order of the tags
};

// What is said of a step. Heavy tags judge idle time without dispatch gaps and artefacts.
[[nodiscard]] Verdict judge_step(const StepFacts& step, const GroupFacts& group,
                                 const Thresholds& thresholds, AnomalyRules rules);

}  // namespace lockstep::analysis::anomalies
