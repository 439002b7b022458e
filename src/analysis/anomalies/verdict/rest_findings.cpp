// Findings about what is spread over a group: short gaps, waiting communication, AI CPU work; and
// idle time that is none.
#include "analysis/anomalies/verdict/rest_findings.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/anomalies/evidence/labels.h"
#include "analysis/anomalies/verdict/finding_texts.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

double share_of(WideTime part, WideTime whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

// The idle time of a step that is neither a heavy gap nor a copy nor an artefact.
class RestOfSteps {
 public:
  explicit RestOfSteps(const FindingInput& input) : rest_(input.device.steps.size()) {
    const std::vector<AnomalyStep>& steps = input.device.steps;
    std::vector<WideTime> copied(steps.size());
    for (std::size_t s = 0; s < steps.size(); ++s) rest_[s] = steps[s].facts.gaps.judged_idle().ps;
    for (const Bubble& bubble : input.device.bubbles) {
      if (!FindingInput::is_judged(bubble) || !input.is_heavy(bubble)) continue;
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
struct ShortGaps {
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

std::vector<ShortGaps> short_gaps_by_group(const FindingInput& input) {
  std::vector<ShortGaps> by_group(input.device.groups.size());
  const Time long_from = limit_of(input.thresholds.heavy_gap_us, 0, {});
  const std::vector<Bubble>& bubbles = input.device.bubbles;
  for (std::uint32_t b = 0; b < bubbles.size(); ++b) {
    const Bubble& bubble = bubbles[b];
    if (!FindingInput::is_judged(bubble) || input.is_heavy(bubble)) continue;
    ShortGaps& gaps = by_group[input.device.steps[bubble.step].group];
    ++gaps.count;
    gaps.total += bubble.length().ps;
    if (bubble.length() >= long_from && !is_mostly_copy(bubble)) {
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

void add_short_gap_evidence(const StepGroup& group, const FindingInput& input,
                            const ShortGaps& gaps, Finding& finding) {
  WideTime busy = 0;
  std::uint64_t kernels = 0;
  for (const std::uint32_t s : group.steps) {
    busy += input.device.steps[s].facts.gaps.device_busy.ps;
    kernels += input.device.steps[s].kernels.size();
  }
  if (kernels > 0)
    finding.evidence.push_back(fmt::format(
        "{} {} the device busy for {} each on average, and {} of idle time come with each.",
        counted(kernels, "kernel"), kernels == 1 ? "keeps" : "keep",
        time_text(busy / static_cast<WideTime>(kernels)),
        time_text(finding.cost / static_cast<WideTime>(kernels))));
  if (gaps.count > 0)
    finding.evidence.push_back(fmt::format(
        "{} {} significant, {} in all; none of those counted here is heavy by itself.",
        counted(gaps.count, "gap"), gaps.count == 1 ? "is" : "are", time_text(gaps.total)));
  if (gaps.known() > 0) {
    finding.evidence.push_back(fmt::format(
        "{} of their time pass before the launch of the next kernel has returned, {} after it.",
        share_text(gaps.host_part, gaps.known()), share_text(gaps.queued_part, gaps.known())));
  } else {
    finding.evidence.emplace_back(
        "The trace does not say who launched the kernels: that the host is late is probable, not "
        "known.");
  }
  finding.labels = labels_of_most(gaps.bubbles);
  if (!finding.labels.empty()) finding.evidence.push_back(labels_text(finding.labels));
}

// Most of the time lies in gaps that people can look at one by one.
Finding long_gap_finding(const FindingInput& input, std::uint32_t g, WideTime rest,
                         const ShortGaps& gaps) {
  const StepGroup& group = input.device.groups[g];
  const Bubble& longest = input.device.bubbles[gaps.longest];
  Finding finding = finding_of(FindingKind::kHeavyBubble, g);
  finding.priority = Priority::kP1;
  finding.cost = rest;
  finding.step = longest.step;
  finding.scope = longest.scope;
  finding.bubble = gaps.longest;
  finding.labels = labels_of_most(gaps.bubbles);
  finding.text = fmt::format(
      "Group {} ({}) idles {} of {} ({}) in gaps none of which is heavy by itself: {} of {} and "
      "more take {}, the longest {}.",
      group.id, counted(group.steps.size(), "step"), time_text(rest),
      time_text(group.total_service), share_text(rest, group.total_service),
      grouped(gaps.long_count), time_text(limit_of(input.thresholds.heavy_gap_us, 0, {}).ps),
      time_text(gaps.long_total), time_text(longest.length().ps));
  if (!finding.labels.empty()) finding.evidence.push_back(labels_text(finding.labels));
  finding.evidence.push_back(
      fmt::format("The longest is in {}:", step_text(input.device.steps[longest.step])));
  const auto chain = bubble_evidence(input.trace, input.device.timeline, longest);
  finding.evidence.insert(finding.evidence.end(), chain.begin(), chain.end());
  return finding;
}

Finding short_gap_finding(const FindingInput& input, std::uint32_t g, WideTime rest,
                          const ShortGaps& gaps) {
  const StepGroup& group = input.device.groups[g];
  const bool is_fed =
      gaps.known() > 0 && static_cast<double>(gaps.host_part) <
                              input.thresholds.host_part_share * static_cast<double>(gaps.known());
  Finding finding = finding_of(is_fed ? FindingKind::kStarved : FindingKind::kLaunchBound, g);
  finding.cost = rest;
  finding.priority = share_of(rest, group.total_service) >= input.thresholds.worthy_launch_gaps
                         ? Priority::kP2
                         : Priority::kP3;
  finding.text = fmt::format(
      "Group {} ({}) idles {} of {} ({}) in short gaps: {}.", group.id,
      counted(group.steps.size(), "step"), time_text(rest), time_text(group.total_service),
      share_text(rest, group.total_service),
      is_fed ? "the next kernels were launched in time and started late"
             : "it is launch bound, kernels end sooner than the host launches the next");
  add_short_gap_evidence(group, input, gaps, finding);
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
  const std::vector<ShortGaps> gaps = short_gaps_by_group(input);
  const WideTime all = input.total_service();
  for (std::uint32_t g = 0; g < input.device.groups.size(); ++g) {
    const StepGroup& group = input.device.groups[g];
    std::size_t high = 0;
    WideTime total = 0;
    for (const std::uint32_t s : group.steps) {
      total += rest.of(s);
      const WideTime service = input.device.steps[s].facts.gaps.service.ps;
      if (share_of(rest.of(s), service) >= input.thresholds.high_underfeed) ++high;
    }
    if (2 * high <= group.steps.size() ||
        share_of(group.total_service, all) < input.thresholds.small_group)
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
    const WideTime service = service_of(input, tagged);
    Finding finding = finding_of(FindingKind::kCommStall, g);
    finding.cost = std::min(comm.waiting, comm.alone);
    finding.labels = {SoftLabel::kCommWait};
    if (comm.has_transit && comm.moving == 0) {
      finding.priority = Priority::kP2;
      finding.text = fmt::format(
          "Group {} spends {} in collectives ({} of the time of its steps), and the profiler tells "
          "of no data that they move.",
          group.id, time_text(comm.elapsed), share_text(comm.elapsed, service));
      finding.evidence.emplace_back("That they only wait is possible, if transit was measured.");
    } else {
      const bool is_hidden = 2 * comm.alone < comm.waiting;
      finding.priority = is_hidden ? Priority::kP3 : Priority::kP1;
      finding.text = fmt::format(
          "Group {} spends {} in collectives, of which {} wait ({} of the time of its steps): {}.",
          group.id, time_text(comm.elapsed), time_text(comm.waiting),
          share_text(comm.waiting, service),
          is_hidden ? "most of it is hidden behind other kernels"
                    : "the device counts as busy and does nothing");
      if (comm.moving > 0)
        finding.evidence.push_back(fmt::format("They move data for {} ({} of their time).",
                                               time_text(comm.moving),
                                               share_text(comm.moving, comm.elapsed)));
    }
    finding.evidence.emplace_back(
        "Possible: a slower peer, which enters the collective later; or imbalance between ranks.");
    finding.evidence.emplace_back(check_of(SoftLabel::kCommWait));
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> exposed_aicpu(const FindingInput& input) {
  std::vector<Finding> findings;
  const DeviceAnomalies& device = input.device;
  std::map<std::string, WideTime> names;
  for (const AicpuRow& row : device.ops.aicpu) {
    if (row.aicpu == AicpuClass::kExposed)
      names[kernel_text(input.trace, device.timeline, row.kernel)] += row.duration.ps;
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
    finding.text = fmt::format(
        "{} of group {} {} on the AI CPU for {} while nothing else computes ({} of the time).",
        counted(count, "operator"), group.id, count == 1 ? "runs" : "run", time_text(finding.cost),
        share_text(finding.cost, service_of(input, tagged)));
    if (!names.empty()) finding.evidence.push_back(fmt::format("Exposed: {}.", costliest(names)));
    findings.push_back(std::move(finding));
  }
  return findings;
}

std::vector<Finding> artefact_findings(const FindingInput& input) {
  std::map<Tag, std::vector<const Artefact*>> by_tag;
  for (const Artefact& artefact : input.device.artefacts) by_tag[artefact.tag].push_back(&artefact);
  std::vector<Finding> findings;
  for (auto& [tag, artefacts] : by_tag) {
    std::ranges::stable_sort(artefacts, std::ranges::greater{},
                             [](const Artefact* a) { return a->idle; });
    const Artefact& first = *artefacts.front();
    Finding finding = finding_of(FindingKind::kArtefact, input.device.steps[first.step].group);
    for (const Artefact* artefact : artefacts) finding.cost += artefact->idle.ps;
    std::set<std::uint32_t> steps;
    for (const Artefact* artefact : artefacts) steps.insert(artefact->step);
    if (steps.size() == 1) finding.step = first.step;
    const std::string name = step_text(input.device.steps[first.step]);
    finding.text =
        artefacts.size() == 1
            ? fmt::format("{} that look idle are an artefact, because {}.", time_text(finding.cost),
                          first.because)
            : fmt::format(
                  "{} that look idle, {} in {}, are an artefact: in the longest, of {}, {}.",
                  time_text(finding.cost), counted(artefacts.size(), "gap"),
                  counted(steps.size(), "step"), name, first.because);
    finding.evidence.push_back(
        fmt::format("{}: {} of {}.", name_of(tag), time_text(first.idle.ps), name));
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace lockstep::analysis::anomalies
