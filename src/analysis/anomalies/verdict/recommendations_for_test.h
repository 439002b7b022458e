// Findings written by hand, for tests of what is advised and of how that reads.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/anomalies/steps/steps_for_test.h"
#include "analysis/anomalies/verdict/recommendations.h"

namespace lockstep::analysis::anomalies {

// A device with one group, ready for findings.
struct AdvisedDevice {
  AdvisedDevice() {
    steps.test.add(steps.test.host, trace::Kind::kHostOp, "aten::mm", 0, 1);
    steps.test.add(steps.test.host, trace::Kind::kPython, "forward", 0, 1);
    for (int i = 0; i < 3; ++i) steps.add({{.name = "a"}, {.name = "b", .gap = 100}});
    for (DeviceWork& work : steps.device.timeline.kernels) work.launched_by = trace::EventId{0};
    for (Bubble& bubble : steps.device.bubbles) {
      bubble.has_launch = true;
      bubble.host_covered = us(50);
    }
    steps.group();
  }

  Finding& add(FindingKind kind, SoftLabel label = SoftLabel::kSyncOrH2d,
               Priority priority = Priority::kP1) {
    Finding& finding = steps.device.findings.emplace_back();
    finding.kind = kind;
    finding.priority = priority;
    finding.labels = {label};
    finding.bubble = 0;
    finding.scope = BubbleScope::kInternal;
    return finding;
  }
  // A step that a collective makes an outlier.
  void add_long_collective() {
    Finding& finding = add(FindingKind::kStepOutlier, SoftLabel::kCommWait);
    finding.scope.reset();
    finding.bubble.reset();
  }
  // A stall while the host is inside aten::mm.
  void add_stall_in_operator() {
    steps.device.bubbles[0].inside_op = trace::EventId{0};
    add(FindingKind::kRecurringStall, SoftLabel::kHostLaunchLag);
  }
  // The host was late inside the operator, and nothing says why.
  void block_in_operator() {
    steps.device.bubbles[0].late_stage = LaunchStage::kOperator;
    steps.device.bubbles[0].labels = {SoftLabel::kUntracedHostBlocking};
  }
  // An outlier in each of six groups, two in g0; g4's is urgent, the launch of g3's is not known.
  void add_outliers_of_six_groups() {
    for (std::uint32_t i = 0; i < 6; ++i) {
      StepGroup group;
      group.id = "g" + std::to_string(i);
      if (i > 0) steps.device.groups.push_back(group);
      add(FindingKind::kStepOutlier, SoftLabel::kSyncOrH2d, i == 4 ? Priority::kP0 : Priority::kP1)
          .group = i;
    }
    add(FindingKind::kStepOutlier);
    steps.device.bubbles[1].has_launch = false;
    steps.device.findings[3].bubble = 1;
  }
  void add_exposed_copy(std::string_view name) {
    DeviceWork copy;
    copy.end = us(5);
    copy.name = steps.test.trace.strings.intern(name);
    steps.device.timeline.copies.push_back(copy);
    add(FindingKind::kCopyExposed);
  }
  void add_wait_anchor(std::string text) {
    OpRow row;
    row.text = std::move(text);
    steps.device.ops.rows.push_back(row);
    steps.device.ops.wait_anchors = {0};
  }
  // Most of its wait is an artefact.
  void pollute_wait_anchor() {
    steps.device.ops.rows[0].to_device = 3;
    steps.device.ops.rows[0].artefact_wait = 2;
  }

  TestSteps steps;
};

[[nodiscard]] inline std::vector<Recommendation> recommendations_of(
    const TestSteps& steps, const Thresholds& thresholds = {}) {
  return recommend(steps.test.trace, std::span(&steps.device, 1), thresholds);
}

// Four steps that have nothing in common.
[[nodiscard]] inline TestSteps steps_that_all_differ() {
  TestSteps steps;
  for (const char* name : {"a", "b", "c", "d"}) steps.add({{.name = name}});
  steps.group();
  return steps;
}

}  // namespace lockstep::analysis::anomalies
