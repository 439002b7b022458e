// What to do about findings, and what to record where they stay unexplained.
#include "analysis/anomalies/verdict/recommendations.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/anomalies/device_anomalies.h"
#include "analysis/anomalies/evidence/recorded_evidence.h"
#include "analysis/anomalies/verdict/finding_parts.h"
#include "analysis/kernels/short_name.h"
#include "base/text.h"

namespace lockstep::analysis::anomalies {
namespace {

Action action_for(SoftLabel label) {
  switch (label) {
    case SoftLabel::kSyncOrH2d:
      return Action::kAvoidSyncOrCopy;
    case SoftLabel::kCommWait:
      return Action::kCompareRanks;
    case SoftLabel::kUntracedHostBlocking:
      return Action::kFindHostBlock;
    case SoftLabel::kHostLaunchLag:
      return Action::kShortenLaunchPath;
    case SoftLabel::kPythonSerializationOrLock:
      return Action::kFreeLaunchThread;
    case SoftLabel::kInsufficientEvidence:
      break;
  }
  return Action::kRecordHost;
}

std::optional<Unknown> unknown_of(SoftLabels labels, bool knows_launch) {
  if (labels.has(SoftLabel::kUntracedHostBlocking)) return Unknown::kHostInGap;
  if (labels.has(SoftLabel::kInsufficientEvidence)) return Unknown::kCause;
  if (!knows_launch) return Unknown::kLaunchOfNext;
  return std::nullopt;
}

SoftLabel first_of(SoftLabels labels) {
  for (std::size_t i = 0; i < kSoftLabelCount; ++i) {
    if (labels.has(static_cast<SoftLabel>(i))) return static_cast<SoftLabel>(i);
  }
  return SoftLabel::kInsufficientEvidence;
}

// Figures that read the same are the same.
bool reads_the_same(WideTime a, WideTime b) {
  const auto words = [](WideTime ps) { return human_time(Time{static_cast<std::int64_t>(ps)}); };
  return a == b || words(a) == words(b);
}

bool is_same_advice(const Recommendation& a, const Recommendation& b) {
  return a.scope == b.scope && a.action == b.action && a.op == b.op &&
         a.small.count == b.small.count && a.small.all == b.small.all &&
         reads_the_same(a.small.gaps, b.small.gaps) &&
         reads_the_same(a.small.duration, b.small.duration);
}

// Recommendations of all devices.
class Advice {
 public:
  void add(Recommendation one) {
    const auto known = std::ranges::find_if(
        all_, [&](const Recommendation& other) { return is_same_advice(other, one); });
    if (known == all_.end()) {
      all_.push_back(std::move(one));
      return;
    }
    known->priority = std::min(known->priority, one.priority);
    known->followup_required |= one.followup_required;
    if (!known->unknown) known->unknown = one.unknown;
    for (std::string& target : one.targets) {
      if (std::ranges::find(known->targets, target) == known->targets.end())
        known->targets.push_back(std::move(target));
    }
  }

  std::vector<Recommendation> take() && {
    std::ranges::stable_sort(all_, {}, &Recommendation::priority);
    return std::move(all_);
  }

 private:
  std::vector<Recommendation> all_;
};

class Recommender {
 public:
  Recommender(const trace::Trace& trace, std::span<const DeviceAnomalies> devices,
              const Thresholds& thresholds)
      : trace_(trace),
        devices_(devices),
        thresholds_(thresholds),
        evidence_(recorded_evidence(trace, devices, thresholds)) {}

  std::vector<Recommendation> recommend() {
    for (const DeviceAnomalies& device : devices_) {
      for (const Finding& finding : device.findings) advise(device, finding);
      advise_on_structure(device);
      advise_on_operators(device);
    }
    advise_on_recording();
    return std::move(advice_).take();
  }

 private:
  void advise(const DeviceAnomalies& device, const Finding& finding) {
    switch (finding.kind) {
      case FindingKind::kStepOutlier:
        return is_late_peer(finding) ? advise_on_late_peer(device, finding)
                                     : advise_on_gap(device, finding);
      case FindingKind::kRecurringStall:
      case FindingKind::kHeavyBubble:
        return advise_on_gap(device, finding);
      case FindingKind::kLaunchBound:
        return add(of_group(device, finding, Action::kLaunchLess, evidence_.launched == 0,
                            unless(evidence_.launched > 0, Unknown::kLaunches)));
      case FindingKind::kStarved:
        return add(of_group(device, finding, Action::kLookAtStreams));
      case FindingKind::kCommStall:
        return advise_on_communication(device, finding);
      case FindingKind::kCopyExposed:
        return advise_on_copies(device, finding);
      case FindingKind::kAicpuExposed:
        return advise_on_aicpu(device, finding);
      case FindingKind::kArtefact:
        return add({.scope = "global",
                    .action = Action::kRecordMissingWork,
                    .unknown = Unknown::kDeviceWork});
    }
  }

  static std::optional<Unknown> unless(bool is_known, Unknown unknown) {
    return is_known ? std::nullopt : std::optional(unknown);
  }

  static Recommendation of_group(const DeviceAnomalies& device, const Finding& finding,
                                 Action action, bool followup_required = false,
                                 std::optional<Unknown> unknown = std::nullopt) {
    return {.priority = finding.priority,
            .scope = "step_group",
            .targets = {device.groups[finding.group].id},
            .action = action,
            .followup_required = followup_required,
            .unknown = unknown};
  }

  void advise_on_gap(const DeviceAnomalies& device, const Finding& finding) {
    const Bubble* bubble = finding.bubble ? &device.bubbles[*finding.bubble] : nullptr;
    if (bubble != nullptr && bubble->touches_edge)
      return add(
          {.scope = "global", .action = Action::kWidenCapture, .unknown = Unknown::kBeyondEdge});
    const bool is_copy = finding.kind == FindingKind::kStepOutlier && !finding.scope;
    const SoftLabel label = is_copy ? SoftLabel::kSyncOrH2d : first_of(finding.labels);
    const std::optional<Unknown> unknown =
        unknown_of(finding.labels, bubble == nullptr || bubble->has_launch);
    Recommendation one = of_group(device, finding, action_for(label), unknown.has_value(), unknown);
    const std::string inside =
        bubble == nullptr ? "" : kernels::short_name(event_name(trace_, bubble->inside_op));
    const bool is_op = bubble != nullptr && bubble->inside_op != trace::kNoEvent;
    if (is_op && is_slow_operator(*bubble)) {
      one.action = Action::kLookIntoOperator;
      one.op = inside;
    }
    if (is_op && finding.kind == FindingKind::kRecurringStall) {
      one.scope = "op";
      one.targets = {inside};
    }
    add(std::move(one));
  }

  void advise_on_copies(const DeviceAnomalies& device, const Finding& finding) {
    WideTime all = 0;
    WideTime inside = 0;
    for (const DeviceWork& copy : device.timeline.copies) {
      all += copy.duration().ps;
      if (trace_.text(copy.name).find("DtoD") != std::string_view::npos)
        inside += copy.duration().ps;
    }
    add(of_group(device, finding,
                 2 * inside > all ? Action::kDropDeviceCopies : Action::kAvoidSyncOrCopy));
  }

  void advise_on_communication(const DeviceAnomalies& device, const Finding& finding) {
    const bool is_sure = finding.priority <= Priority::kP1;
    add(of_group(device, finding, is_sure ? Action::kFindLateRank : Action::kFindLateRankIfMeasured,
                 is_alone(), unless(!is_alone(), Unknown::kLateRank)));
  }

  [[nodiscard]] bool is_alone() const { return trace_.ranks.size() < 2; }

  // Waits of communication without a gap: the device was busy with a collective.
  static bool is_late_peer(const Finding& finding) {
    return !finding.bubble && finding.labels.has(SoftLabel::kCommWait);
  }

  void advise_on_late_peer(const DeviceAnomalies& device, const Finding& finding) {
    add(of_group(device, finding, Action::kFindLatePeer, is_alone(),
                 unless(!is_alone(), Unknown::kLateRank)));
  }

  void advise_on_aicpu(const DeviceAnomalies& device, const Finding& finding) {
    std::vector<std::string> names;
    for (const AicpuRow& row : device.ops.aicpu) {
      if (row.aicpu != AicpuClass::kExposed) continue;
      std::string name = kernels::short_name(trace_.text(device.timeline.kernels[row.kernel].name));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    for (std::string& name : names)
      add({.priority = finding.priority,
           .scope = "op",
           .targets = {std::move(name)},
           .action = Action::kMoveOffAicpu});
  }

  // Gaps at the borders of layers come from how the host walks through them.
  void advise_on_structure(const DeviceAnomalies& device) {
    for (std::size_t g = 0; g < device.structures.size() && g < device.groups.size(); ++g) {
      const StructureBreakdown& structure = device.structures[g];
      const StepGroup& group = device.groups[g];
      const bool is_heavy = group.dominant_tags.has(Tag::kDeviceIdleGapHeavy);
      const bool has_layers = structure.evidence != StructureEvidence::kNone;
      if (!is_heavy || !has_layers || structure.bubbles_between <= structure.bubbles_inside)
        continue;
      add({.priority = Priority::kP2,
           .scope = "structure",
           .targets = {group.id},
           .action = Action::kLookBetweenLayers});
    }
  }

  void advise_on_operators(const DeviceAnomalies& device) {
    const bool is_launch_bound = std::ranges::find(device.findings, FindingKind::kLaunchBound,
                                                   &Finding::kind) != device.findings.end();
    if (device.ops.small.matters && is_launch_bound)
      add({.scope = "side",
           .targets = {device.groups.front().id},
           .action = Action::kFuseSmallKernels,
           .small = device.ops.small});
    for (const std::uint32_t row : device.ops.wait_anchors) {
      // A gap that is none makes anchors that are none.
      if (device.ops.rows[row].waits_in_artefact()) continue;
      add({.scope = "op",
           .targets = {kernels::short_name(device.ops.rows[row].text)},
           .action = Action::kLeaveWaitAnchor});
    }
    for (const StepGroup& group : device.groups) {
      if (group.dominant_tags.has(Tag::kWaitPollutionRisk))
        add({.scope = "step_group",
             .targets = {group.id},
             .action = Action::kCheckCommunication,
             .unknown = Unknown::kPollutedWaits});
    }
  }

  [[nodiscard]] bool has_open_finding() const {
    return std::ranges::any_of(devices_, &DeviceAnomalies::requires_host_followup);
  }

  [[nodiscard]] bool has_unstable_groups() const {
    return std::ranges::any_of(devices_, [this](const DeviceAnomalies& device) {
      const auto steps = static_cast<double>(device.steps.size());
      return steps >= thresholds_.unstable_steps &&
             static_cast<double>(device.groups.size()) > thresholds_.unstable_groups * steps;
    });
  }

  void advise_on_recording() {
    const auto record = [this](Priority priority, Action action, Unknown unknown) {
      add({.priority = priority,
           .scope = "global",
           .action = action,
           .followup_required = true,
           .unknown = unknown});
    };
    if (has_open_finding() && !evidence_.has_python)
      record(Priority::kP2, Action::kRecordStacks, Unknown::kPythonFrames);
    if (has_open_finding() && (evidence_.is_sparse || !evidence_.has_host_events))
      record(Priority::kP2, Action::kSampleThreads, Unknown::kHostEvents);
    if (has_unstable_groups() && !evidence_.has_shapes)
      record(Priority::kP3, Action::kRecordShapes, Unknown::kShapes);
  }

  void add(Recommendation one) { advice_.add(std::move(one)); }

  const trace::Trace& trace_;
  std::span<const DeviceAnomalies> devices_;
  const Thresholds& thresholds_;
  RecordedEvidence evidence_;
  Advice advice_;
};

}  // namespace

std::vector<Recommendation> recommend(const trace::Trace& trace,
                                      std::span<const DeviceAnomalies> devices,
                                      const Thresholds& thresholds) {
  return Recommender(trace, devices, thresholds).recommend();
}

}  // namespace lockstep::analysis::anomalies
