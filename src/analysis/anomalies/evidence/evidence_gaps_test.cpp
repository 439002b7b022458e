// Each kind of missing evidence: a trace that lacks it, and one that does not.
#include "analysis/anomalies/evidence/evidence_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/steps/steps_for_test.h"
#include "analysis/anomalies/verdict/findings.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// Three steps with all evidence there is.
struct Complete {
  Complete() {
    steps.test.add(steps.test.host, trace::Kind::kHostOp, "aten::mm", 0, 1);
    steps.test.add(steps.test.host, trace::Kind::kPython, "forward", 0, 1);
    for (int i = 0; i < 3; ++i)
      steps.add({{.name = "a"}, {.name = "b", .gap = 100}}).facts.shapes = 1;
    for (DeviceWork& work : steps.device.timeline.kernels) work.launched_by = trace::EventId{0};
    for (Bubble& bubble : steps.device.bubbles) bubble.host_covered = TestSteps::us(50);
  }
  std::vector<std::string> gaps() {
    steps.group();
    return evidence_gaps(steps.test.trace, std::span(&steps.device, 1));
  }
  void add_part(std::string name, trace::SourcePart::Use use = trace::SourcePart::Use::kMissing) {
    steps.test.trace.ranks[0].parts.push_back({use, std::move(name), 0, ""});
  }
  TestSteps steps;
};

TEST(EvidenceGaps, NoneWhereNothingLacks) { EXPECT_THAT(Complete().gaps(), IsEmpty()); }

TEST(EvidenceGaps, NoDevices) { EXPECT_EQ(evidence_gaps(trace::Trace{}, {}).size(), 1U); }

TEST(EvidenceGaps, NoMarkers) {
  Complete passes;
  for (AnomalyStep& step : passes.steps.device.steps) step.window = StepWindow::kDevice;
  EXPECT_THAT(passes.gaps(), Contains(HasSubstr("steps are the passes")));
  EXPECT_THAT(passes.gaps(), Contains(HasSubstr("profiler.step()")));
  Complete pseudo;
  for (AnomalyStep& step : pseudo.steps.device.steps) step.window = StepWindow::kPseudo;
  EXPECT_THAT(pseudo.gaps(), Contains(HasSubstr("the whole capture counts as one step")));
}

TEST(EvidenceGaps, NoMarkersOnSomeDevices) {
  Complete complete;
  complete.steps.group();
  std::vector<DeviceAnomalies> devices(6, complete.steps.device);
  const auto set_window = [&](std::size_t device, StepWindow window) {
    devices[device].timeline.device_id = std::to_string(device);
    for (AnomalyStep& step : devices[device].steps) step.window = window;
  };
  const auto gaps = [&] { return evidence_gaps(complete.steps.test.trace, devices); };
  set_window(1, StepWindow::kPseudo);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers for device 1, and no passes were")));
  devices[1].timeline.rank_number = 7;
  set_window(2, StepWindow::kDevice);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers for device 1 of rank 7, and no"),
                                  StartsWith("No step markers for device 2: steps are")));
  for (const std::size_t device : {1U, 3U, 4U, 5U}) set_window(device, StepWindow::kDevice);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers for device 1 of rank 7, device 2, "
                                             "device 3 and 2 more: steps are")));
  set_window(0, StepWindow::kDevice);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers: steps are the passes")));
}

TEST(EvidenceGaps, ASinglePass) {
  Complete complete;
  complete.steps.device.steps.resize(2);
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No more than 2 steps with the same kernels")));
}

TEST(EvidenceGaps, NoHostEvents) {
  Complete complete;
  complete.steps.test.trace.events.kind[0] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No host events")));
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("activities=[CPU, CUDA]")));
}

TEST(EvidenceGaps, SparseHostEvents) {
  Complete complete;
  for (Bubble& bubble : complete.steps.device.bubbles) bubble.host_covered = TestSteps::us(4);
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("Host events are sparse: they cover 4.0 %")));
  for (Bubble& bubble : complete.steps.device.bubbles) bubble.host_covered = TestSteps::us(5);
  EXPECT_THAT(complete.gaps(), IsEmpty());
  // Of an artefact nothing need be covered.
  complete.steps.device.bubbles[0].host_covered = {};
  complete.steps.device.bubbles[0].is_unrecorded = true;
  EXPECT_THAT(complete.gaps(), IsEmpty());
}

TEST(EvidenceGaps, NoLaunches) {
  Complete complete;
  for (DeviceWork& work : complete.steps.device.timeline.kernels)
    work.launched_by = trace::kNoEvent;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No arrows from launches to kernels")));
  complete.steps.device.timeline.kernels[0].launched_by = trace::EventId{0};
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("The launch of 5 of 6 kernels is not known")));
}

TEST(EvidenceGaps, NoPythonFrames) {
  Complete complete;
  complete.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No Python frames")));
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("Record Python stacks (with_stack=True).")));
}

TEST(EvidenceGaps, NoShapes) {
  Complete complete;
  for (AnomalyStep& step : complete.steps.device.steps) step.facts.shapes.reset();
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("record_shapes=True")));
}

TEST(EvidenceGaps, NoTransitTimesOfCollectives) {
  Complete complete;
  complete.steps.device.timeline.kernels[0].kind = trace::Kind::kCommunication;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No transit times: how much of 1 collective")));
  complete.add_part("communication.json");
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No communication.json: ")));
  trace::Collective collective;
  collective.transit = Time{1};
  complete.steps.test.trace.collectives.push_back(collective);
  EXPECT_THAT(complete.gaps(), IsEmpty());
}

TEST(EvidenceGaps, PartsOfADirectory) {
  for (const char* name : {"kernel_details.csv", "trace_view.json", "types of kernels"}) {
    Complete complete;
    complete.add_part(name, trace::SourcePart::Use::kUsed);
    EXPECT_THAT(complete.gaps(), IsEmpty());
    complete.add_part(name);
    EXPECT_THAT(complete.gaps(), Contains(HasSubstr(name)));
  }
}

TEST(EvidenceGaps, TheEdgeOfTheCapture) {
  Complete complete;
  complete.steps.device.bubbles[0].touches_edge = true;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("1 gap touches the edge of the capture")));
}

TEST(EvidenceGaps, OptionsAreThoseOfTheProfiler) {
  Complete complete;
  complete.steps.test.trace.ranks[0].format = "nsys";
  complete.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("nsys --python-sampling=true")));
  complete.steps.test.trace.ranks[0].format = "chrome";
  EXPECT_THAT(complete.gaps(), Not(Contains(HasSubstr("nsys"))));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
