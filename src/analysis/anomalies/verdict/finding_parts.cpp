// Steps, times and names that several findings are made of.
#include "analysis/anomalies/verdict/finding_parts.h"

#include <algorithm>
#include <utility>

#include "analysis/anomalies/evidence/bubbles.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {

namespace {

// What is said of a kernel or a copy in evidence: no more than so many names.
constexpr std::size_t kMostNames = 3;

}  // namespace

bool FindingInput::is_heavy(const Bubble& bubble) const {
  return anomalies::is_heavy(bubble, device.steps[bubble.step].facts.gaps.service, thresholds);
}

WideTime FindingInput::total_service() const {
  WideTime total = 0;
  for (const AnomalyStep& step : device.steps) total += step.facts.gaps.service.ps;
  return total;
}

std::vector<std::uint32_t> tagged_steps(const FindingInput& input, const StepGroup& group,
                                        Tag tag) {
  std::vector<std::uint32_t> tagged;
  for (const std::uint32_t s : group.steps) {
    if (input.device.steps[s].tags.has(tag)) tagged.push_back(s);
  }
  if (2 * tagged.size() < group.steps.size()) tagged.clear();
  return tagged;
}

WideTime service_of(const FindingInput& input, const std::vector<std::uint32_t>& steps) {
  WideTime total = 0;
  for (const std::uint32_t s : steps) total += input.device.steps[s].facts.gaps.service.ps;
  return total;
}

std::vector<NamedTime> costliest(const std::map<std::string, WideTime>& times) {
  std::vector<NamedTime> ranked;
  for (const auto& [name, time] : times) ranked.push_back({name, time});
  std::ranges::stable_sort(ranked, std::ranges::greater{}, &NamedTime::time);
  if (ranked.size() > kMostNames) ranked.resize(kMostNames);
  return ranked;
}

std::string event_name(const trace::Trace& trace, trace::EventId event) {
  if (event == trace::kNoEvent) return "";
  return valid_utf8(demangled(trace.text(trace.events.name[trace::index_of(event)])));
}

bool is_slow_operator(const Bubble& bubble) {
  return bubble.late_stage == LaunchStage::kOperator && bubble.inside_op != trace::kNoEvent &&
         bubble.labels.has(SoftLabel::kUntracedHostBlocking);
}

}  // namespace lockstep::analysis::anomalies
