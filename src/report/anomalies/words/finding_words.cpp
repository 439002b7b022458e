// One function a kind of finding.
#include "report/anomalies/words/finding_words.h"

#include <string_view>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/text.h"
#include "report/anomalies/words/artefact_words.h"
#include "report/anomalies/words/bubble_words.h"
#include "report/anomalies/words/label_words.h"
#include "report/anomalies/words/word_parts.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::ArtefactSum;
using analysis::anomalies::Bubble;
using analysis::anomalies::BubbleScope;
using analysis::anomalies::CommEvidence;
using analysis::anomalies::CommStall;
using analysis::anomalies::DeviceAnomalies;
using analysis::anomalies::ExposedAicpu;
using analysis::anomalies::ExposedCopies;
using analysis::anomalies::Finding;
using analysis::anomalies::FindingKind;
using analysis::anomalies::HeavyGaps;
using analysis::anomalies::LongGaps;
using analysis::anomalies::OutlyingStep;
using analysis::anomalies::RecurringGap;
using analysis::anomalies::RecurringStall;
using analysis::anomalies::ShortGaps;
using analysis::anomalies::SoftLabel;
using analysis::anomalies::StepGroup;
using analysis::anomalies::StepOutlier;
using Cause = StepOutlier::Cause;

std::string_view cause_verb(Cause cause) {
  switch (cause) {
    case Cause::kPrelaunch:
      return "waits for its first kernel for";
    case Cause::kTail:
      return "idles after its last kernel for";
    case Cause::kInterStep:
      return "is followed by a gap of";
    case Cause::kCopy:
      return "copies while no kernel runs for";
    case Cause::kGap:
      return "stalls inside for";
    case Cause::kCommunication:
      return "runs nothing but collectives for";
  }
  return "";
}

// Of groups that have the same to tell, less of it.
std::string untold_words(std::size_t groups, std::string_view less) {
  if (groups == 1) return fmt::format("1 more group with {} is not told.", less);
  return fmt::format("{} with {} are not told one by one.", counted(groups, "more group"), less);
}

constexpr std::size_t kMostNamedGroups = 6;

// "Groups g0, g1 and g3", "Groups g0, g1, g2, g3, g4 and 3 more"
std::string group_words(std::vector<std::string> ids) {
  const std::size_t count = ids.size();
  if (count > kMostNamedGroups) {
    ids.resize(kMostNamedGroups - 1);
    ids.push_back(fmt::format("{} more", count - ids.size()));
  }
  return fmt::format("{} {}", count == 1 ? "Group" : "Groups", listed(ids));
}

// Words the detail of a finding.
class FindingWriter {
 public:
  FindingWriter(const trace::Trace& trace, const DeviceAnomalies& device, const Finding& finding)
      : trace_(trace), device_(device), finding_(finding), group_(device.groups[finding.group]) {}

  FindingWords words() && {
    std::visit([this](const auto& detail) { word(detail); }, finding_.detail);
    return std::move(words_);
  }

 private:
  void word(const std::monostate& /*nothing is known*/) {}

  void word(const RecurringStall& stall) {
    const RecurringGap& gap = group_.recurring[stall.place];
    const std::string place =
        place_words(trace_, device_.timeline, gap.kernel_before, gap.kernel_after);
    const std::string position = bubble().scope == BubbleScope::kInternal
                                     ? fmt::format(" (kernel {} of the step)", gap.position)
                                     : "";
    std::string lengths = time_words(stall.least.ps);
    if (const std::string most = time_words(stall.most.ps); most != lengths)
      lengths += " to " + most;
    words_.text = fmt::format(
        "{} of {} of group {} {} for {} {}{}: {} of {} ({}){}.", stall.steps,
        counted(group_.steps.size(), "step"), group_.id, stall.steps == 1 ? "stalls" : "stall",
        lengths, place, position, time_words(finding_.cost), time_words(group_.total_service),
        share_words(finding_.cost, group_.total_service),
        stall.inside_op.empty() ? "" : ", while the host is inside " + stall.inside_op);
    say(fmt::format("{} {} a significant gap there, {} in all, half of them at least {}.",
                    counted(gap.steps, "step"), gap.steps == 1 ? "has" : "have",
                    time_words(gap.total), time_words(gap.median.ps)));
    say_where_the_longest_is();
    say_chain();
  }

  void word(const OutlyingStep& step) {
    const StepOutlier& outlier = step.outlier;
    const analysis::anomalies::AnomalyStep& own = device_.steps[outlier.step];
    const WideTime service = own.facts.gaps.service.ps;
    words_.text =
        fmt::format("{} {} {}, where the group's median is {}: {} of its {} ({}).", step_label(own),
                    cause_verb(outlier.cause), time_words(outlier.value.ps),
                    time_words(outlier.median.ps), time_words(outlier.excess().ps),
                    time_words(service), share_words(outlier.excess().ps, service));
    say(fmt::format("It runs the same kernels as the other {} of group {}, up to a few.",
                    counted(group_.steps.size() - 1, "step"), group_.id));
    if (step.longest != trace::kNoEvent)
      say(fmt::format("Its longest {} is {}, {}.",
                      outlier.cause == Cause::kCopy ? "copy" : "collective",
                      event_words(trace_, step.longest), time_words(step.longest_time.ps)));
    if (outlier.cause == Cause::kCommunication) say_of_collectives(own.facts.comm);
    if (finding_.bubble) say_chain();
  }

  void say_of_collectives(const CommEvidence& comm) {
    if (comm.transit)
      say(fmt::format("Its collectives move data for {} of {}.", time_words(comm.transit->ps),
                      time_words(comm.measured().ps)));
    say("Possible: it waits for a slower peer, which enters the collective later; or it moves more "
        "data than in other steps.");
    say(check_of(SoftLabel::kCommWait));
  }

  void word(const HeavyGaps& gaps) {
    const Bubble& longest = bubble();
    const analysis::anomalies::AnomalyStep& step = device_.steps[longest.step];
    const std::string place =
        place_words(trace_, device_.timeline, longest.kernel_before, longest.kernel_after);
    words_.text =
        fmt::format("A gap of {} {}{}{}: {} of the step.", time_words(longest.length().ps),
                    gap_words(longest.scope, step), place.empty() ? "" : ", ", place,
                    share_words(longest.length().ps, step.facts.gaps.service.ps));
    if (gaps.count > 1)
      say(fmt::format("Group {} has {} like it, {} in all.", group_.id,
                      counted(gaps.count, "heavy gap"), time_words(finding_.cost)));
    if (longest.touches_edge)
      say("It touches the edge of the capture: what lies beyond was not recorded.");
    say_chain();
    if (gaps.untold > 0) say(untold_words(gaps.untold, "smaller gaps"));
  }

  void word(const LongGaps& gaps) {
    words_.text = fmt::format(
        "Group {} ({}) idles {} of {} ({}) in gaps none of which is heavy by itself: {} of {} and "
        "more {} {}, the longest {}.",
        group_.id, counted(group_.steps.size(), "step"), time_words(finding_.cost),
        time_words(group_.total_service), share_words(finding_.cost, group_.total_service),
        grouped(gaps.count), time_words(gaps.from.ps), gaps.count == 1 ? "takes" : "take",
        time_words(gaps.total), time_words(bubble().length().ps));
    if (!finding_.labels.empty()) say(label_words(finding_.labels));
    say_where_the_longest_is();
    say_chain();
  }

  void word(const ShortGaps& gaps) {
    words_.text = short_gaps_words(device_, {&finding_});
    if (gaps.kernels > 0)
      say(fmt::format(
          "{} {} the device busy for {} each on average, and {} of idle time come with each.",
          counted(gaps.kernels, "kernel"), gaps.kernels == 1 ? "keeps" : "keep",
          time_words(gaps.busy / static_cast<WideTime>(gaps.kernels)),
          time_words(finding_.cost / static_cast<WideTime>(gaps.kernels))));
    if (gaps.significant > 0)
      say(fmt::format(
          "{} {} significant, {} in all; none of those counted here is heavy by itself.",
          counted(gaps.significant, "gap"), gaps.significant == 1 ? "is" : "are",
          time_words(gaps.significant_time)));
    if (const WideTime known = gaps.host_part + gaps.queued_part; known > 0) {
      say(fmt::format(
          "{} of their time pass before the launch of the next kernel has returned, {} after it.",
          share_words(gaps.host_part, known), share_words(gaps.queued_part, known)));
    } else {
      say("The trace does not say who launched the kernels: that the host is late is probable, not "
          "known.");
    }
    if (!finding_.labels.empty()) say(label_words(finding_.labels));
  }

  void word(const CommStall& comm) {
    if (comm.tells_none) {
      words_.text = fmt::format(
          "Group {} spends {} in collectives ({} of the time of its steps), and the profiler tells "
          "of no data that they move.",
          group_.id, time_words(comm.elapsed), share_words(comm.elapsed, comm.service));
      say("That they only wait is possible, if transit was measured.");
    } else {
      words_.text = fmt::format(
          "Group {} spends {} in collectives, of which {} wait ({} of the time of its steps): {}.",
          group_.id, time_words(comm.elapsed), time_words(comm.waiting),
          share_words(comm.waiting, comm.service),
          comm.is_hidden ? "most of it is hidden behind other kernels"
                         : "the device counts as busy and does nothing");
      if (comm.moving > 0)
        say(fmt::format("They move data for {} ({} of their time).", time_words(comm.moving),
                        share_words(comm.moving, comm.elapsed)));
    }
    say("Possible: a slower peer, which enters the collective later; or imbalance between ranks.");
    say(check_of(SoftLabel::kCommWait));
  }

  void word(const ExposedCopies& copies) {
    words_.text =
        fmt::format("In {} of group {} copies run for {} while no kernel does ({} of the time).",
                    counted(copies.steps, "step"), group_.id, time_words(finding_.cost),
                    share_words(finding_.cost, copies.service));
    say(fmt::format("Copies and sets of the device: {}.", listed(copies.costliest)));
    say(check_of(SoftLabel::kSyncOrH2d));
    if (copies.untold > 0) say(untold_words(copies.untold, "shorter copies"));
  }

  void word(const ExposedAicpu& aicpu) {
    words_.text = fmt::format(
        "{} of group {} {} on the AI CPU for {} while nothing else computes ({} of the time).",
        counted(aicpu.operators, "operator"), group_.id, aicpu.operators == 1 ? "runs" : "run",
        time_words(finding_.cost), share_words(finding_.cost, aicpu.service));
    if (!aicpu.costliest.empty()) say(fmt::format("Exposed: {}.", listed(aicpu.costliest)));
  }

  void word(const ArtefactSum& sum) {
    const analysis::anomalies::Artefact& longest = device_.artefacts[sum.longest];
    const std::string because = artefact_words(trace_, device_, longest);
    const std::string name = step_name(device_.steps[longest.step]);
    words_.text =
        sum.gaps == 1
            ? fmt::format("{} that look idle are an artefact, because {}.",
                          time_words(finding_.cost), because)
            : fmt::format(
                  "{} that look idle, {} in {}, are an artefact: in the longest, of {}, {}.",
                  time_words(finding_.cost), counted(sum.gaps, "gap"), counted(sum.steps, "step"),
                  name, because);
    say(fmt::format("{}: {} of {}.", name_of(longest.tag), time_words(longest.idle.ps), name));
  }

  [[nodiscard]] const Bubble& bubble() const { return device_.bubbles[*finding_.bubble]; }

  void say(std::string_view sentence) { words_.evidence.emplace_back(sentence); }
  void say_where_the_longest_is() {
    say(fmt::format("The longest is in {}:", step_name(device_.steps[bubble().step])));
  }
  void say_chain() {
    for (const std::string& one : bubble_evidence(trace_, device_.timeline, bubble())) say(one);
  }

  const trace::Trace& trace_;
  const DeviceAnomalies& device_;
  const Finding& finding_;
  const StepGroup& group_;
  FindingWords words_;
};

}  // namespace

bool is_of_short_gaps(const Finding& finding) {
  return std::holds_alternative<ShortGaps>(finding.detail);
}

std::string short_gaps_words(const DeviceAnomalies& device,
                             const std::vector<const Finding*>& findings) {
  std::vector<std::string> ids;
  std::size_t steps = 0;
  WideTime cost = 0;
  WideTime service = 0;
  for (const Finding* const finding : findings) {
    const StepGroup& group = device.groups[finding->group];
    ids.push_back(group.id);
    steps += group.steps.size();
    cost += finding->cost;
    service += group.total_service;
  }
  const bool is_one = findings.size() == 1;
  const std::string why =
      findings.front()->kind == FindingKind::kStarved
          ? "the next kernels were launched in time and started late"
          : fmt::format("{} launch bound, kernels end sooner than the host launches the next",
                        is_one ? "it is" : "they are");
  return fmt::format("{} ({}) {} {} of {} ({}) in short gaps: {}.", group_words(std::move(ids)),
                     counted(steps, "step"), is_one ? "idles" : "idle", time_words(cost),
                     time_words(service), share_words(cost, service), why);
}

FindingWords finding_words(const trace::Trace& trace, const DeviceAnomalies& device,
                           const Finding& finding) {
  return FindingWriter(trace, device, finding).words();
}

}  // namespace lockstep::report::anomalies
