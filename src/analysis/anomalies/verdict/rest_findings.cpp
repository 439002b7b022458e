// Findings about what is spread over a group: short gaps, waiting communication, AI CPU work; and
// idle time that is none.
#include "analysis/anomalies/verdict/rest_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/timeline/ratio.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

// The idle time of a step that is neither a heavy gap nor a copy nor an artefact.
class RestOfSteps {
 public:
  explicit RestOfSteps(const FindingInput& input) : rest_(input.device.steps.size()) {
    const std::vector<AnomalyStep>& steps = input.device.steps;
    std::vector<WideTime> copied(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) rest_[s] = steps[s].facts.gaps.judged_idle().ps;
    for (const Bubble& bubble : input.device.bubbles) {
      if (!bubble.is_judged() || !input.is_heavy(bubble)) continue;
      rest_[bubble.step] -= bubble.length().ps;
      copied[bubble.step] += bubble.copied.ps;
    }
    for (std::size_t s = 0; s < steps.size(); ++s) {
      rest_[s] -= std::max<WideTime>(steps[s].facts.gaps.exposed_copy.ps - copied[s], 0);
      rest_[s] = std::max<WideTime>(rest_[s], 0);
    }
  }
  [[nodiscard]] WideTime of(std::uint32_t step) const { return rest_[step]; }

 private:
  std::vector<WideTime> rest_;
};

// The significant gaps of a group that are not heavy, summed.
struct GapSum {
  std::uint64_t count = 0;
  WideTime total = 0;
  std::uint64_t long_count = 0;  // of heavy_gap_us and more
  WideTime long_total = 0;
  std::uint32_t longest = kNoKernel;  // of DeviceAnomalies::bubbles
  WideTime host_part = 0;
  WideTime queued_part = 0;
  std::vector<const Bubble*> bubbles;

  [[nodiscard]] WideTime known() const { return host_part + queued_part; }
};

std::vector<GapSum> short_gaps_by_group(const FindingInput& input) {
  std::vector<GapSum> by_group(input.device.groups.size());
  const Time long_from = limit_of(input.thresholds.heavy_gap_us, 0, {});
  const std::vector<Bubble>& bubbles = input.device.bubbles;
  for (std::uint32_t b = 0; b < bubbles.size(); ++b) {
    const Bubble& bubble = bubbles[b];
    if (!bubble.is_judged() || input.is_heavy(bubble)) continue;
    GapSum& gaps = by_group[input.device.steps[bubble.step].group];
    ++gaps.count;
    gaps.total += bubble.length().ps;
    if (bubble.length() >= long_from && !bubble.is_mostly_copy()) {
      ++gaps.long_count;
      gaps.long_total += bubble.length().ps;
    }
    if (gaps.longest == kNoKernel || bubbles[gaps.longest].length() < bubble.length())
      gaps.longest = b;
    gaps.host_part += bubble.host_part.ps;
    gaps.queued_part += bubble.queued_part.ps;
    gaps.bubbles.push_back(&bubble);
  }
  return by_group;
}

ShortGaps short_gap_detail(const FindingInput& input, const StepGroup& group, const GapSum& gaps) {
  ShortGaps detail{.significant = gaps.count,
                   .significant_time = gaps.total,
                   .host_part = gaps.host_part,
                   .queued_part = gaps.queued_part};
  for (const std::uint32_t s : group.steps) {
    detail.busy += input.device.steps[s].facts.gaps.device_busy.ps;
    detail.kernels += input.device.steps[s].kernels.size();
  }
  return detail;
}

// Most of the time lies in gaps that people can look at one by one.
Finding long_gap_finding(const FindingInput& input, std::uint32_t g, WideTime rest,
                         const GapSum& gaps) {
  const Bubble& longest = input.device.bubbles[gaps.longest];
  Finding finding = finding_of(FindingKind::kHeavyBubble, g);
  finding.priority = Priority::kP1;
  finding.cost = rest;
  finding.step = longest.step;
  finding.scope = longest.scope;
  finding.bubble = gaps.longest;
  finding.labels = labels_of_most(gaps.bubbles);
  finding.detail = LongGaps{.count = gaps.long_count,
                            .total = gaps.long_total,
                            .from = limit_of(input.thresholds.heavy_gap_us, 0, {})};
  return finding;
}

Finding short_gap_finding(const FindingInput& input, std::uint32_t g, WideTime rest,
                          const GapSum& gaps) {
  const StepGroup& group = input.device.groups[g];
  const bool is_fed =
      gaps.known() > 0 && static_cast<double>(gaps.host_part) <
                              input.thresholds.host_part_share * static_cast<double>(gaps.known());
  Finding finding = finding_of(is_fed ? FindingKind::kStarved : FindingKind::kLaunchBound, g);
  finding.cost = rest;
  finding.priority = ratio_of(rest, group.total_service) >= input.thresholds.worthy_launch_gaps
                         ? Priority::kP2
                         : Priority::kP3;
  finding.detail = short_gap_detail(input, group, gaps);
  finding.labels = labels_of_most(gaps.bubbles);
  return finding;
}

// The collectives of steps.
struct CommSum {
  WideTime elapsed = 0;
  WideTime moving = 0;
  WideTime waiting = 0;
  WideTime alone = 0;  // only communication ran
  bool has_transit = false;
};

CommSum communication_of(const FindingInput& input, const std::vector<std::uint32_t>& steps) {
  CommSum sum;
  for (const std::uint32_t s : steps) {
    const CommEvidence& comm = input.device.steps[s].facts.comm;
    sum.elapsed += (comm.transit ? comm.measured() : comm.elapsed).ps;
    const GapMetrics& gaps = input.device.steps[s].facts.gaps;
    sum.alone += (gaps.device_busy - gaps.computing).ps;
    sum.has_transit |= comm.transit.has_value();
    sum.moving += comm.transit ? comm.transit->ps : 0;
    sum.waiting += comm.transit ? (comm.measured() - *comm.transit).ps : comm.notify_wait.ps;
  }
  return sum;
}

}  // namespace

std::vector<Finding> short_gaps(const FindingInput& input) {
  std::vector<Finding> findings;
  const RestOfSteps rest(input);
  const std::vector<GapSum> gaps = short_gaps_by_group(input);
  const WideTime all = input.total_service();
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    const StepGroup& group = input.device.groups[g];
    std::size_t high = 0;
    WideTime total = 0;
    for (const std::uint32_t s : group.steps) {
      total += rest.of(s);
      const WideTime service = input.device.steps[s].facts.gaps.service.ps;
      if (ratio_of(rest.of(s), service) >= input.thresholds.high_underfeed) ++high;
    }
    if (2 * high <= group.steps.size() ||
        ratio_of(group.total_service, all) < input.thresholds.small_group)
      continue;
    const bool is_long = 2 * gaps[g].long_total >= total;
    findings.push_back(is_long ? long_gap_finding(input, g, total, gaps[g])
                               : short_gap_finding(input, g, total, gaps[g]));
  }
  return findings;
}

std::vector<Finding> comm_stalls(const FindingInput& input) {
  std::vector<Finding> findings;
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    const StepGroup& group = input.device.groups[g];
    const auto tagged = tagged_steps(input, group, Tag::kCommStallMasked);
    if (tagged.empty()) continue;
    const CommSum comm = communication_of(input, tagged);
    Finding finding = finding_of(FindingKind::kCommStall, g);
    finding.cost = std::min(comm.waiting, comm.alone);
    finding.labels = {SoftLabel::kCommWait};
    const bool tells_none = comm.has_transit && comm.moving == 0;
    const bool is_hidden = !tells_none && 2 * comm.alone < comm.waiting;
    finding.priority = tells_none ? Priority::kP2 : is_hidden ? Priority::kP3 : Priority::kP1;
    finding.detail = CommStall{.elapsed = comm.elapsed,
                               .moving = comm.moving,
                               .waiting = comm.waiting,
                               .service = service_of(input, tagged),
                               .tells_none = tells_none,
                               .is_hidden = is_hidden};
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> exposed_aicpu(const FindingInput& input) {
  std::vector<Finding> findings;
  const JudgedDevice& device = input.device;
  std::map<std::string, WideTime> names;
  for (const AicpuRow& row : device.ops.aicpu) {
    if (row.aicpu == AicpuClass::kExposed)
      names[valid_utf8(demangled(input.trace.text(device.timeline.kernels[row.kernel].name)))] +=
          row.duration.ps;
  }
  for (std::uint32_t g = 0; g < device.groups.size(); ++g) {
    const StepGroup& group = device.groups[g];
    const auto tagged = tagged_steps(input, group, Tag::kAicpuExposedRisk);
    if (tagged.empty()) continue;
    Finding finding = finding_of(FindingKind::kAicpuExposed, g);
    finding.priority = Priority::kP2;
    std::uint64_t count = 0;
    for (const std::uint32_t s : tagged) {
      finding.cost += device.steps[s].facts.aicpu.exposed.ps;
      count += device.steps[s].facts.aicpu.exposed_count;
    }
    finding.detail = ExposedAicpu{
        .operators = count, .service = service_of(input, tagged), .costliest = costliest(names)};
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> artefact_findings(const FindingInput& input) {
  const std::vector<Artefact>& all = input.device.artefacts;
  std::map<Tag, std::vector<std::uint32_t>> by_tag;
  for (std::uint32_t i = 0; i < all.size(); ++i) by_tag[all[i].tag].push_back(i);
  std::vector<Finding> findings;
  for (const auto& [tag, artefacts] : by_tag) {
    const std::uint32_t longest =
        *std::ranges::max_element(artefacts, {}, [&](std::uint32_t i) { return all[i].idle; });
    Finding finding =
        finding_of(FindingKind::kArtefact, input.device.steps[all[longest].step].group);
    std::set<std::uint32_t> steps;
    for (const std::uint32_t i : artefacts) {
      finding.cost += all[i].idle.ps;
      steps.insert(all[i].step);
    }
    if (steps.size() == 1) finding.step = all[longest].step;
    finding.detail =
        ArtefactSum{.longest = longest, .gaps = artefacts.size(), .steps = steps.size()};
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep::analysis::anomalies
