// Claims on the order of evidence, the main stream and gaps.
#include "analysis/anomalies/structure/structure_cuts.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/structure/structure_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

// Kernels of 20 us with these gaps before them, in microseconds.
TestStep step_with_gaps(const std::vector<std::int64_t>& gaps) {
  TestStep step;
  std::int64_t at = 0;
  for (const std::int64_t gap : gaps) {
    at += gap;
    step.device.add("k", at, 20);
    at += 20;
  }
  step.settle();
  return step;
}

std::string gap_cuts_of(const TestStep& step) {
  return text_of(gap_cuts(step.input(), Thresholds{}));
}

TEST(MainStream, IsTheOneThatComputesLongest) {
  TestStep step;
  step.device.add("a", 0, 30);
  step.device.add_to(step.device.other, "b", 0, 20);
  step.device.add_to(step.device.other, "hcom", 20, 500, trace::Kind::kCommunication);
  step.settle();
  EXPECT_EQ(main_stream(step.input()), step.device.main);
}

TEST(MainStream, OfCommunicationOnlyIsTheBusiest) {
  TestStep step;
  step.device.add("hcom", 0, 30, trace::Kind::kCommunication);
  step.device.add_to(step.device.other, "hcom", 0, 50, trace::Kind::kCommunication);
  step.settle();
  EXPECT_EQ(main_stream(step.input()), step.device.other);
}

TEST(GapCuts, AreGapsFarAboveTheMedianOfSignificantOnes) {
  EXPECT_EQ(gap_cuts_of(step_with_gaps({0, 20, 20, 20, 100, 20})), "part#1@0 part#2@4");
  EXPECT_EQ(gap_cuts_of(step_with_gaps({0, 20, 20, 20, 99, 20})), "");
}

TEST(GapCuts, InsignificantGapsDoNotLowerTheMedian) {
  EXPECT_EQ(gap_cuts_of(step_with_gaps({0, 1, 1, 1, 1, 20, 20, 20, 80})), "");
}

TEST(GapCuts, HeavyGapsCutWhateverTheMedian) {
  TestStep step = step_with_gaps({0, 900, 1000, 900});
  EXPECT_EQ(gap_cuts_of(step), "part#1@0 part#2@2");
  step.end = us(20'000);  // a tenth of it is more
  EXPECT_EQ(gap_cuts_of(step), "");
}

TEST(GapCuts, StreamsThatOverlapLeaveNoGap) {
  TestStep step;
  step.device.add("a", 0, 20);
  step.device.add_to(step.device.other, "b", 10, 5000);
  step.device.add("c", 4000, 20);
  step.settle();
  EXPECT_EQ(gap_cuts_of(step), "");
}

TEST(StructureCuts, LoopsComeBeforeAnnotationsBeforeGaps) {
  TestStep step;
  step.add_launched(6);
  step.annotate("layer 0", 0, 3);
  step.annotate("layer 1", 3, 6);
  step.device.add("far", 5000, 20);
  step.settle();
  EXPECT_EQ(find_structure_cuts(step.input(), {}).evidence, StructureEvidence::kAnnotation);
  step.add_loop(cycles::LoopRole::kLayer, cycles::PhaseName::kUnknown, 0, 3, 2);
  EXPECT_EQ(find_structure_cuts(step.input(), {}).evidence, StructureEvidence::kLoop);
}

TEST(StructureCuts, WithoutEvidenceTheStepIsOneStructure) {
  TestStep step;
  step.add_kernels(3);
  step.settle();
  const StructureCuts whole = find_structure_cuts(step.input(), {});
  EXPECT_EQ(whole.evidence, StructureEvidence::kNone);
  EXPECT_EQ(text_of(whole.cuts), "step@0");
  step.device.add("far", 5000, 20);
  step.settle();
  EXPECT_EQ(find_structure_cuts(step.input(), {}).evidence, StructureEvidence::kGap);
}

TEST(StructureEvidence, HasNames) {
  EXPECT_EQ(name_of(StructureEvidence::kLoop), "loop");
  EXPECT_EQ(name_of(StructureEvidence::kAnnotation), "annotation");
  EXPECT_EQ(name_of(StructureEvidence::kGap), "gap");
  EXPECT_EQ(name_of(StructureEvidence::kNone), "none");
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
