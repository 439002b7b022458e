// Where a device idles or starves, as facts from device intervals, and what may be behind it, as
// graded guesses with their evidence. `lockstep anomalies` prints it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/anomalies/steps/step_facts.h"
#include "analysis/anomalies/structure/structure.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/timeline/op_table.h"
#include "analysis/anomalies/verdict/tags.h"
#include "analysis/anomalies/verdict/thresholds.h"
#include "analysis/cycles/cycles.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// What the window of a step is: from the host's marker to the next one, from the first kernel of a
// pass to the first of the next one, or all of the device's time.
enum class StepWindow : std::uint8_t { kHost, kDevice, kPseudo };
[[nodiscard]] std::string_view name_of(StepWindow window);  // "host", "device", "pseudo"

struct TagReason {
  Tag tag{};
  std::string text;  // "underfeed ratio 0.745 >= 0.3"
};

// A gap in the device's work. Those kept here are significant and no dispatch gaps.
struct Bubble {
  std::uint32_t step = 0;  // of DeviceAnomalies::steps
  BubbleScope scope = BubbleScope::kInternal;
  Time start;
  Time end;
  std::uint32_t kernel_before = kNoKernel;  // of DeviceTimeline::kernels
  std::uint32_t kernel_after = kNoKernel;
  std::uint32_t position = kNoKernel;  // of kernel_after among the kernels of its step, from 0

  // Facts, by flow.
  bool has_launch = false;  // the file says who launched kernel_after; else both parts are 0
  Time host_part;           // min(length, max(0, end of the launch call - start))
  Time queued_part;         // the rest
  trace::EventId launch_call = trace::kNoEvent;
  trace::EventId launch_op = trace::kNoEvent;  // the operator around that call (innermost host op)
  trace::EventId outermost_op = trace::kNoEvent;  // the outermost one that began in the bubble
  std::array<Time, kLaunchStageCount> stages{};   // the bubble's time by stage
  LaunchStage late_stage = LaunchStage::kUnknown;
  trace::EventId inside_op =
      trace::kNoEvent;  // innermost host op that spans most of it, on any thread

  // Facts, by overlap.
  Time copied;                  // copies and sets ran
  Time host_covered;            // leaf host events
  Time sync_covered;            // synchronising and copying calls
  Time comm_covered;            // communication calls
  Time python_covered;          // leaf Python frames
  Time overhead_covered;        // the profiler
  double host_parallelism = 0;  // host time over threads / host_covered; 0 where nothing ran
  std::vector<trace::EventId> evidence_ops;  // longest host events in it, at most kEvidenceOps

  SoftLabels labels;
  bool touches_edge = false;  // of the capture
  bool is_unrecorded = false;
  bool is_opaque = false;

  [[nodiscard]] Time length() const { return end - start; }
  [[nodiscard]] bool is_artefact() const { return is_unrecorded || is_opaque; }
};
inline constexpr std::size_t kEvidenceOps = 3;

struct AnomalyStep {
  std::string id;    // unique: "0", or "r1.d0.0" with several devices
  std::string name;  // "ProfilerStep#3", "decode 4", "capture"
  StepWindow window = StepWindow::kPseudo;
  Time start;
  Time end;
  Time marker_end;  // of the marker, or of the pass's last kernel
  // Work that the step launched: from its first kernel's start to its last one's end.
  std::optional<std::pair<Time, Time>> device_window;
  std::uint32_t group = 0;             // of DeviceAnomalies::groups
  std::vector<std::uint32_t> kernels;  // own ones: launched in the window, else begun in it
  StepFacts facts;
  Tags tags;
  std::vector<TagReason> reasons;
  SoftLabels labels;  // of its heavy bubbles, else of most of its bubble time

  [[nodiscard]] Time device_shift() const {
    return device_window ? device_window->first - start : Time{};
  }
};

// One metric over the steps of a group.
struct MetricSpread {
  double mean_ps = 0;
  Time median;
  Time p90;
  Time p95;
};

// A place in the kernel sequence where steps of a group have a significant bubble.
struct RecurringGap {
  std::uint32_t kernel_before = kNoKernel;  // of the longest one
  std::uint32_t kernel_after = kNoKernel;
  std::uint32_t position = 0;  // of kernel_after in the step
  std::uint32_t steps = 0;     // of the group that have it
  Time median;                 // over the steps that have it
  WideTime total = 0;
  std::vector<std::uint32_t> bubbles;  // of DeviceAnomalies::bubbles, longest first
  SoftLabels labels;                   // of most of its time
};

struct StepGroup {
  std::string id;  // "g0"; unique over devices
  std::vector<std::uint32_t> steps;
  std::uint32_t template_step = 0;  // the first one with the sequence of kernels that most have
  std::uint32_t kernels = 0;        // of that step
  WideTime total_service = 0;
  MetricSpread service;
  MetricSpread device_busy;
  MetricSpread underfeed;
  MetricSpread prelaunch;
  MetricSpread tail;
  MetricSpread inter_step;
  MetricSpread own_tail;  // the tail without the inter-step part
  MetricSpread internal_total;
  MetricSpread largest_internal;
  double underfeed_ratio = 0;  // mean of the steps'
  double underfeed_ratio_median = 0;
  double underfeed_ratio_p90 = 0;
  double underfeed_ratio_p95 = 0;
  double bubble_step_share = 0;  // steps with a significant bubble
  bool is_recurring = false;
  std::vector<RecurringGap> recurring;  // by total, greatest first
  IdlePattern pattern = IdlePattern::kNone;
  Tags dominant_tags;  // of at least half of its steps
  SoftLabels labels;   // of most of its bubble time
  bool requires_followup = false;
  // Several shapes in one template: two steps that show it.
  std::optional<std::pair<std::uint32_t, std::uint32_t>> shape_example;
};

// "This idle share is an artefact, because ..."
struct Artefact {
  Tag tag = Tag::kUnrecordedWork;
  std::uint32_t step = 0;
  Time idle;  // that is none
  std::string because;
};

// What a reader should know first: a step that stands out, a stall that comes back, a device that
// waits for launches everywhere.
enum class FindingKind : std::uint8_t {
  kStepOutlier,
  kRecurringStall,
  kHeavyBubble,  // of a step without a group to compare it with
  kLaunchBound,  // many short gaps, because launches come late
  kCommStall,
  kCopyExposed,
  kAicpuExposed,
  kArtefact,
  kStarved,  // many short gaps, although launches are in time
};
// "step_outlier", "recurring_stall", "heavy_bubble", "launch_bound", "comm_stall", "copy_exposed",
// "aicpu_exposed", "artefact", "starved"
[[nodiscard]] std::string_view name_of(FindingKind kind);

struct Finding {
  FindingKind kind{};
  Priority priority = Priority::kP3;
  std::uint32_t group = 0;
  std::optional<std::uint32_t> step;
  std::optional<BubbleScope> scope;
  std::optional<std::uint32_t> bubble;  // of DeviceAnomalies::bubbles: the example to look at
  WideTime cost = 0;                    // time that it takes in the whole capture
  SoftLabels labels;
  std::string text;                   // one declarative sentence
  std::vector<std::string> evidence;  // the chain, from the fact to the guess
};

struct Recommendation {
  Priority priority = Priority::kP3;
  std::string_view scope;  // "global", "step_group", "structure", "side", "op"
  std::string target;      // group, structure or operator; empty for global
  std::string action;
  bool followup_required = false;
  std::string evidence_gap;  // what is not known; empty when nothing is missing
};

// A cause as the spec sums it up: a label, how sure, of what.
struct SoftCause {
  SoftLabel label{};
  Confidence confidence = Confidence::kLow;
  std::string_view scope;  // "global", "group", "step"
  std::string target;      // a group or step id
  WideTime bubble_time = 0;
  std::vector<std::string> evidence;
};

// The device over the whole capture.
struct GlobalGaps {
  Time span;  // from its first to its last kernel
  Time busy;
  Time any_busy;
  Time gap;
  Time largest;
  std::vector<algo::Interval> top;  // at most five, longest first
};

// Answers to the five questions, for people.
struct FiveAnswers {
  std::array<std::string, 5> texts;
};
inline constexpr std::array<std::string_view, 5> kFiveQuestions = {
    "Are there significant device idle bubbles?",
    "Which step type or group do they concentrate in?",
    "Are they prelaunch, tail, internal or inter-step?",
    "Is there a risk that comes from the host?",
    "Is the evidence enough for a root cause?",
};

struct DeviceAnomalies {
  DeviceTimeline timeline;
  std::vector<AnomalyStep> steps;  // in time order
  std::vector<StepGroup> groups;   // by total service time, greatest first: [0] is dominant
  std::vector<Bubble> bubbles;     // by start
  std::vector<KernelGaps> waits;   // by kernel of the timeline
  OpTable ops;
  std::vector<StructureBreakdown> structures;  // of one typical step of each group, same order
  std::vector<Artefact> artefacts;
  std::vector<Finding> findings;  // the most important first
  std::vector<SoftCause> causes;
  GlobalGaps global;
  bool requires_host_followup = false;
  Confidence confidence = Confidence::kLow;
  FiveAnswers answers;
};

struct Anomalies {
  std::vector<DeviceAnomalies> devices;         // by (rank, device)
  std::vector<Recommendation> recommendations;  // most urgent first
  std::vector<std::string> evidence_gaps;       // what the traces lack, and what that costs
  bool steps_are_marked = false;
  // The device whose dominant group takes most time.
  std::uint32_t dominant_device = 0;
};

struct AnomaliesOptions {
  Thresholds thresholds;
  AnomalyRules rules = AnomalyRules::kRulebook;
  cycles::CyclesOptions cycles;
  // Of more devices only those that worked most are judged: each takes kilobytes, however little it
  // did.
  std::size_t most_devices = 16'384;
  // With more steps over all devices, and more than four for every marker, those in which a device
  // was asked for nothing are left out.
  std::size_t most_steps = std::size_t{1} << 17;
};

// No devices when no device ran a kernel.
[[nodiscard]] Anomalies find_anomalies(const trace::Trace& trace,
                                       const AnomaliesOptions& options = {});

}  // namespace lockstep::analysis::anomalies
