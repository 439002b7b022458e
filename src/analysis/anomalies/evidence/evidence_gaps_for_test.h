// Steps that lack no evidence until it is taken from them, for tests of what lacks and of how that
// reads.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/anomalies/evidence/evidence_gaps.h"
#include "analysis/anomalies/steps/steps_for_test.h"

namespace lockstep::analysis::anomalies {

// Three steps with all evidence there is.
struct CompleteSteps {
  CompleteSteps() {
    steps.test.add(steps.test.host, trace::Kind::kHostOp, "aten::mm", 0, 1);
    steps.test.add(steps.test.host, trace::Kind::kPython, "forward", 0, 1);
    for (int i = 0; i < 3; ++i)
      steps.add({{.name = "a"}, {.name = "b", .gap = 100}}).facts.shapes = 1;
    for (DeviceWork& work : steps.device.timeline.kernels) work.launched_by = trace::EventId{0};
    cover_bubbles(us(50));
  }

  void set_window(StepWindow window) {
    for (AnomalyStep& step : steps.device.steps) step.window = window;
  }
  // By host events.
  void cover_bubbles(Time time) {
    for (Bubble& bubble : steps.device.bubbles) bubble.host_covered = time;
  }
  void forget_launches() {
    for (DeviceWork& work : steps.device.timeline.kernels) work.launched_by = trace::kNoEvent;
  }
  void forget_shapes() {
    for (AnomalyStep& step : steps.device.steps) step.facts.shapes.reset();
  }
  void add_part(std::string name, trace::SourcePart::Use use = trace::SourcePart::Use::kMissing) {
    steps.test.trace.ranks[0].parts.push_back({use, std::move(name), 0, ""});
  }
  void add_collective_with_transit() {
    trace::Collective collective;
    collective.transit = Time{1};
    steps.test.trace.collectives.push_back(collective);
  }

  [[nodiscard]] std::span<const DeviceAnomalies> grouped_device() {
    steps.group();
    return std::span(&steps.device, 1);
  }

  TestSteps steps;
};

// Six devices with such steps.
struct CompleteDevices {
  CompleteDevices() : devices(6, complete.grouped_device().front()) {}
  void set_window(std::size_t device, StepWindow window) {
    devices[device].timeline.device_id = std::to_string(device);
    for (AnomalyStep& step : devices[device].steps) step.window = window;
  }
  CompleteSteps complete;
  std::vector<DeviceAnomalies> devices;
};

}  // namespace lockstep::analysis::anomalies
