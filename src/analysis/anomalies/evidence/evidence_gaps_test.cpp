// Each kind of missing evidence: a trace that lacks it, and one that does not.
#include "analysis/anomalies/evidence/evidence_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/evidence/evidence_gaps_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

std::vector<Lack> lacks_of(const std::vector<EvidenceGap>& gaps) {
  std::vector<Lack> lacks;
  for (const EvidenceGap& gap : gaps) lacks.push_back(gap.lack);
  return lacks;
}

struct Complete : CompleteSteps {
  std::vector<EvidenceGap> all() { return evidence_gaps(steps.test.trace, grouped_device()); }
  std::vector<Lack> gaps() { return lacks_of(all()); }
};

TEST(EvidenceGaps, NoneWhereNothingLacks) { EXPECT_THAT(Complete().gaps(), IsEmpty()); }

TEST(EvidenceGaps, NoDevices) {
  EXPECT_THAT(lacks_of(evidence_gaps(trace::Trace{}, {})), ElementsAre(Lack::kDevices));
}

TEST(EvidenceGaps, NoMarkers) {
  Complete passes;
  passes.set_window(StepWindow::kDevice);
  EXPECT_THAT(passes.gaps(), ElementsAre(Lack::kMarkers));
  Complete pseudo;
  pseudo.set_window(StepWindow::kPseudo);
  EXPECT_THAT(pseudo.gaps(), ElementsAre(Lack::kSteps));
}

TEST(EvidenceGaps, NoMarkersOnSomeDevices) {
  CompleteDevices some;
  const auto gaps = [&] { return evidence_gaps(some.complete.steps.test.trace, some.devices); };
  some.set_window(1, StepWindow::kPseudo);
  EXPECT_THAT(gaps(), ElementsAre(AllOf(Field(&EvidenceGap::lack, Lack::kSteps),
                                        Field(&EvidenceGap::devices, ElementsAre(1U)))));
  some.devices[1].timeline.rank_number = 7;
  some.set_window(2, StepWindow::kDevice);
  EXPECT_THAT(lacks_of(gaps()), ElementsAre(Lack::kSteps, Lack::kMarkers));
  for (const std::size_t device : {1U, 3U, 4U, 5U}) some.set_window(device, StepWindow::kDevice);
  EXPECT_THAT(gaps().at(0).devices, ElementsAre(1U, 2U, 3U, 4U, 5U));
  some.set_window(0, StepWindow::kDevice);
  EXPECT_THAT(gaps().at(0).devices, IsEmpty());
}

TEST(EvidenceGaps, ASinglePass) {
  Complete complete;
  complete.steps.device.steps.resize(2);
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kStepsAlike));
  EXPECT_EQ(complete.all()[0].count, 2U);
}

TEST(EvidenceGaps, AsManyStepsAreNeededAsTheThresholdSays) {
  Complete complete;  // three steps of a kind
  complete.steps.group();
  const auto with = [&](double recurring_steps) {
    Thresholds thresholds;
    thresholds.recurring_steps = recurring_steps;
    return evidence_gaps(complete.steps.test.trace, std::span(&complete.steps.device, 1),
                         thresholds);
  };
  EXPECT_THAT(with(3), IsEmpty());
  ASSERT_THAT(with(4.5), ElementsAre(Field(&EvidenceGap::lack, Lack::kStepsAlike)));
  EXPECT_EQ(with(4.5)[0].count, 3U);
  EXPECT_EQ(with(4.5)[0].of, 5U);
  EXPECT_EQ(with(1e300)[0].of, 1'000'000'000'000'000U);
}

TEST(EvidenceGaps, NoHostEvents) {
  Complete complete;
  complete.steps.test.trace.events.kind[0] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), Contains(Lack::kHostEvents));
}

TEST(EvidenceGaps, SparseHostEvents) {
  Complete complete;
  complete.cover_bubbles(us(4));
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kHostCoverage));
  EXPECT_EQ(complete.all()[0].time, us(12).ps);
  EXPECT_EQ(complete.all()[0].whole, us(300).ps);
  complete.cover_bubbles(us(5));
  EXPECT_THAT(complete.gaps(), IsEmpty());
  // Of an artefact nothing need be covered.
  complete.steps.device.bubbles[0].host_covered = {};
  complete.steps.device.bubbles[0].is_unrecorded = true;
  EXPECT_THAT(complete.gaps(), IsEmpty());
}

TEST(EvidenceGaps, NoLaunches) {
  Complete complete;
  complete.forget_launches();
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kLaunches));
  complete.steps.device.timeline.kernels[0].launched_by = trace::EventId{0};
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kSomeLaunches));
  EXPECT_EQ(complete.all()[0].count, 5U);
  EXPECT_EQ(complete.all()[0].of, 6U);
}

TEST(EvidenceGaps, NoPythonFrames) {
  Complete complete;
  complete.steps.test.trace.events.kind[1] = trace::Kind::kAnnotation;
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kPythonFrames));
}

TEST(EvidenceGaps, NoShapes) {
  Complete complete;
  complete.forget_shapes();
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kShapes));
}

TEST(EvidenceGaps, NoTransitTimesOfCollectives) {
  Complete complete;
  complete.steps.device.timeline.kernels[0].kind = trace::Kind::kCommunication;
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kTransit));
  EXPECT_EQ(complete.all()[0].count, 1U);
  complete.add_part("communication.json");
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kCommunicationJson));
  complete.add_collective_with_transit();
  EXPECT_THAT(complete.gaps(), IsEmpty());
}

TEST(EvidenceGaps, PartsOfADirectory) {
  const std::vector<std::pair<const char*, Lack>> parts = {
      {"kernel_details.csv", Lack::kKernelDetails},
      {"trace_view.json", Lack::kTraceView},
      {"types of kernels", Lack::kKernelTypes}};
  for (const auto& [name, lack] : parts) {
    Complete complete;
    complete.add_part(name, trace::SourcePart::Use::kUsed);
    EXPECT_THAT(complete.gaps(), IsEmpty());
    complete.add_part(name);
    EXPECT_THAT(complete.gaps(), ElementsAre(lack));
  }
}

TEST(EvidenceGaps, TheEdgeOfTheCapture) {
  Complete complete;
  complete.steps.device.bubbles[0].touches_edge = true;
  EXPECT_THAT(complete.gaps(), ElementsAre(Lack::kBeyondEdge));
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
