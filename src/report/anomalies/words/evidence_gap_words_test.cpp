// Tests of how missing evidence reads.
#include "report/anomalies/words/evidence_gap_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/evidence/evidence_gaps_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::CompleteDevices;
using analysis::anomalies::CompleteSteps;
using analysis::anomalies::DeviceAnomalies;
using analysis::anomalies::evidence_gaps;
using analysis::anomalies::EvidenceGap;
using analysis::anomalies::Lack;
using analysis::anomalies::StepWindow;
using analysis::anomalies::us;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> told(const trace::Trace& trace, std::span<const DeviceAnomalies> devices) {
  std::vector<std::string> words;
  for (const EvidenceGap& gap : evidence_gaps(trace, devices))
    words.push_back(evidence_gap_words(trace, devices, gap));
  return words;
}

struct Complete : CompleteSteps {
  std::vector<std::string> gaps() { return told(steps.test.trace, grouped_device()); }
};

TEST(EvidenceGapWords, NoDevices) {
  EXPECT_THAT(told(trace::Trace{}, {}),
              ElementsAre("No device ran a kernel: there is nothing to judge."));
}

TEST(EvidenceGapWords, NoMarkers) {
  Complete passes;
  passes.set_window(StepWindow::kDevice);
  EXPECT_THAT(passes.gaps(), Contains(HasSubstr("steps are the passes")));
  EXPECT_THAT(passes.gaps(), Contains(HasSubstr("profiler.step()")));
  Complete pseudo;
  pseudo.set_window(StepWindow::kPseudo);
  EXPECT_THAT(pseudo.gaps(), Contains(HasSubstr("the whole capture counts as one step")));
}

TEST(EvidenceGapWords, NoMarkersOnSomeDevices) {
  CompleteDevices some;
  const auto gaps = [&] { return told(some.complete.steps.test.trace, some.devices); };
  some.set_window(1, StepWindow::kPseudo);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers for device 1, and no passes were")));
  some.devices[1].timeline.rank_number = 7;
  some.set_window(2, StepWindow::kDevice);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers for device 1 of rank 7, and no"),
                                  StartsWith("No step markers for device 2: steps are")));
  for (const std::size_t device : {1U, 3U, 4U, 5U}) some.set_window(device, StepWindow::kDevice);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers for device 1 of rank 7, device 2, "
                                             "device 3 and 2 more: steps are")));
  some.set_window(0, StepWindow::kDevice);
  EXPECT_THAT(gaps(), ElementsAre(StartsWith("No step markers: steps are the passes")));
}

TEST(EvidenceGapWords, ASinglePass) {
  Complete complete;
  complete.steps.device.steps.resize(2);
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No more than 2 steps with the same kernels")));
}

TEST(EvidenceGapWords, NoHostEvents) {
  Complete complete;
  complete.steps.test.trace.events.kind[0] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No host events")));
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("activities=[CPU, CUDA]")));
}

TEST(EvidenceGapWords, SparseHostEvents) {
  Complete complete;
  complete.cover_bubbles(us(4));
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("Host events are sparse: they cover 4.0 %")));
  complete.cover_bubbles(us(5));
  EXPECT_THAT(complete.gaps(), IsEmpty());
  // Of an artefact nothing need be covered.
  complete.steps.device.bubbles[0].host_covered = {};
  complete.steps.device.bubbles[0].is_unrecorded = true;
  EXPECT_THAT(complete.gaps(), IsEmpty());
}

TEST(EvidenceGapWords, NoLaunches) {
  Complete complete;
  complete.forget_launches();
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No arrows from launches to kernels")));
  complete.steps.device.timeline.kernels[0].launched_by = trace::EventId{0};
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("The launch of 5 of 6 kernels is not known")));
}

TEST(EvidenceGapWords, NoPythonFrames) {
  Complete complete;
  complete.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No Python frames")));
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("Record Python stacks (with_stack=True).")));
}

TEST(EvidenceGapWords, NoShapes) {
  Complete complete;
  complete.forget_shapes();
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("record_shapes=True")));
}

TEST(EvidenceGapWords, NoTransitTimesOfCollectives) {
  Complete complete;
  complete.steps.device.timeline.kernels[0].kind = trace::Kind::kCommunication;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No transit times: how much of 1 collective")));
  complete.add_part("communication.json");
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("No communication.json: ")));
  complete.add_collective_with_transit();
  EXPECT_THAT(complete.gaps(), IsEmpty());
}

TEST(EvidenceGapWords, PartsOfADirectory) {
  for (const char* name : {"kernel_details.csv", "trace_view.json", "types of kernels"}) {
    Complete complete;
    complete.add_part(name, trace::SourcePart::Use::kUsed);
    EXPECT_THAT(complete.gaps(), IsEmpty());
    complete.add_part(name);
    EXPECT_THAT(complete.gaps(), Contains(HasSubstr(name)));
  }
}

TEST(EvidenceGapWords, WhatWasLeftOut) {
  const auto words = [](EvidenceGap gap) { return evidence_gap_words(trace::Trace{}, {}, gap); };
  EXPECT_EQ(words({.lack = Lack::kLeftOutDevices, .count = 2, .of = 5}),
            "Only the 2 of 5 devices that worked most were judged: there are too many. Select "
            "devices with --devices.");
  EXPECT_EQ(words({.lack = Lack::kEmptySteps}),
            "Steps in which a device was asked for nothing were left out: there are too many "
            "devices and steps. Select devices with --devices.");
  EXPECT_EQ(words({.lack = Lack::kHostThreads, .count = 1024, .of = 2000}),
            "Only the 1,024 of 2,000 host threads with most events were asked what the host did in "
            "gaps: there are too many.");
  EXPECT_EQ(words({.lack = Lack::kDeepCalls, .count = 4096, .of = 4097}),
            "Only the 4,096 innermost of up to 4,097 calls around an event were asked what it is "
            "part of: they are nested too deep.");
  EXPECT_EQ(words({.lack = Lack::kMarkClasses, .count = 3, .of = 4}),
            "Only the 3 of 4 names of annotations that last longest were asked where loops begin: "
            "there are too many.");
}

TEST(EvidenceGapWords, TheEdgeOfTheCapture) {
  Complete complete;
  complete.steps.device.bubbles[0].touches_edge = true;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("1 gap touches the edge of the capture")));
}

TEST(EvidenceGapWords, OptionsAreThoseOfTheProfiler) {
  Complete complete;
  complete.steps.test.trace.ranks[0].format = "nsys";
  complete.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(HasSubstr("nsys --python-sampling=true")));
  complete.steps.test.trace.ranks[0].format = "chrome";
  EXPECT_THAT(complete.gaps(), Not(Contains(HasSubstr("nsys"))));
}

}  // namespace
}  // namespace lockstep::report::anomalies
