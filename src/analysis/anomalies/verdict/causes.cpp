// Sums labels up: how much of the bubble time of a group or an outlier carries each, and how sure
// that is.
#include "analysis/anomalies/verdict/causes.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/anomalies/timeline/ratio.h"
#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {
namespace {

// The bubbles of a target that carry one label.
struct LabelSum {
  WideTime total = 0;
  WideTime launch_known = 0;
  WideTime host_part = 0;
  WideTime host_covered = 0;
  WideTime sync_covered = 0;
  WideTime comm_covered = 0;
  std::map<std::string, WideTime> ops;  // that they lie in, or that launch the next kernel

  void add(const trace::Trace& trace, const Bubble& bubble) {
    const WideTime length = bubble.length().ps;
    total += length;
    if (bubble.has_launch) launch_known += length;
    host_part += bubble.host_part.ps;
    host_covered += bubble.host_covered.ps;
    sync_covered += bubble.sync_covered.ps;
    comm_covered += bubble.comm_covered.ps;
    const trace::EventId op =
        bubble.inside_op != trace::kNoEvent ? bubble.inside_op : bubble.launch_op;
    if (op != trace::kNoEvent) ops[event_name(trace, op)] += length;
  }
};

// All bubbles of a target: the device, a group, a step.
struct BubbleSum {
  WideTime total = 0;
  std::uint64_t python_frames = 0;
  std::array<LabelSum, kSoftLabelCount> labels;

  void add(const trace::Trace& trace, const Bubble& bubble) {
    total += bubble.length().ps;
    for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
      if (bubble.labels.has(static_cast<SoftLabel>(i))) labels[i].add(trace, bubble);
    }
  }
};

// Blaming code of the host is sure only where Python was recorded.
bool needs_python(SoftLabel label) {
  return label == SoftLabel::kUntracedHostBlocking || label == SoftLabel::kHostLaunchLag ||
         label == SoftLabel::kPythonSerializationOrLock;
}

// A fifth of a gap in calls that wait is enough for the label; to be sure of it takes most.
bool explains_most(SoftLabel label, const LabelSum& sum, const Thresholds& thresholds) {
  if (label == SoftLabel::kSyncOrH2d)
    return ratio_of(sum.sync_covered, sum.total) >= thresholds.cause_medium;
  if (label == SoftLabel::kCommWait)
    return ratio_of(sum.comm_covered, sum.total) >= thresholds.cause_medium;
  return true;
}

Confidence confidence_of(SoftLabel label, const LabelSum& sum, const BubbleSum& all,
                         const Thresholds& thresholds) {
  const double share = ratio_of(sum.total, all.total);
  if (label == SoftLabel::kInsufficientEvidence || share < thresholds.cause_medium)
    return Confidence::kLow;
  const bool has_flows = ratio_of(sum.launch_known, sum.total) >= thresholds.cause_high;
  const bool is_told =
      explains_most(label, sum, thresholds) && (!needs_python(label) || all.python_frames > 0);
  return share >= thresholds.cause_high && has_flows && is_told ? Confidence::kHigh
                                                                : Confidence::kMedium;
}

CauseEvidence evidence_of(const LabelSum& sum, WideTime all) {
  return {.all = all,
          .launch_known = sum.launch_known,
          .host_part = sum.host_part,
          .host_covered = sum.host_covered,
          .sync_covered = sum.sync_covered,
          .comm_covered = sum.comm_covered,
          .ops = costliest(sum.ops)};
}

void add_causes(const Thresholds& thresholds, const BubbleSum& all, std::string_view scope,
                const std::string& target, std::vector<SoftCause>& causes) {
  std::vector<SoftCause> own;
  for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
    const LabelSum& sum = all.labels[i];
    if (sum.total == 0 || ratio_of(sum.total, all.total) < thresholds.cause_least) continue;
    const auto label = static_cast<SoftLabel>(i);
    own.push_back({.label = label,
                   .confidence = confidence_of(label, sum, all, thresholds),
                   .scope = scope,
                   .target = target,
                   .bubble_time = sum.total,
                   .evidence = evidence_of(sum, all.total)});
  }
  std::ranges::stable_sort(own, std::ranges::greater{}, &SoftCause::bubble_time);
  causes.insert(causes.end(), own.begin(), own.end());
}

}  // namespace

std::vector<SoftCause> soft_causes(const FindingInput& input, std::span<const Finding> findings) {
  const JudgedDevice& device = input.device;
  BubbleSum all;
  std::vector<BubbleSum> by_group(device.groups.size());
  for (const AnomalyStep& step : device.steps) {
    all.python_frames += step.facts.python_frames;
    by_group[step.group].python_frames += step.facts.python_frames;
  }
  for (const Bubble& bubble : device.bubbles) {
    if (!bubble.is_judged()) continue;
    all.add(input.trace, bubble);
    by_group[device.steps[bubble.step].group].add(input.trace, bubble);
  }
  std::vector<SoftCause> causes;
  // The only group is the device.
  if (by_group.size() > 1) add_causes(input.thresholds, all, "global", "", causes);
  for (std::size_t g = 0; g < by_group.size(); ++g)
    add_causes(input.thresholds, by_group[g], "group", device.groups[g].id, causes);
  for (const Finding& finding : findings) {
    if (finding.kind != FindingKind::kStepOutlier || !finding.bubble) continue;
    BubbleSum one;
    one.python_frames = device.steps[*finding.step].facts.python_frames;
    one.add(input.trace, device.bubbles[*finding.bubble]);
    add_causes(input.thresholds, one, "step", device.steps[*finding.step].id, causes);
  }
  return causes;
}

}  // namespace lockstep::analysis::anomalies
