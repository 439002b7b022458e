// Claims on structures from annotations.
#include "analysis/anomalies/structure/annotation_cuts.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/structure/structure_for_test.h"
#include "trace/steps.h"

namespace lockstep::analysis::anomalies {
namespace {

std::string cuts_of(TestStep& step) {
  step.settle();
  return text_of(annotation_cuts(step.input(), step.device.main));
}

// Around the launches of kernels [first, last).
struct PlannedAnnotation {
  std::string_view name;
  std::int64_t first = 0;
  std::int64_t last = 0;
};

void annotate(TestStep& step, std::initializer_list<PlannedAnnotation> annotations) {
  for (const auto& [name, first, last] : annotations) step.annotate(name, first, last);
}

std::string cuts_of(std::uint32_t launched, std::initializer_list<PlannedAnnotation> annotations) {
  TestStep step;
  step.add_launched(launched);
  annotate(step, annotations);
  return cuts_of(step);
}

TEST(AnnotationCuts, NamesThatDifferInNumbersAreOneKind) {
  TestStep step;
  step.add_launched(8);
  annotate(step, {{"block_7", 1, 4}, {"block_8", 4, 7}});
  EXPECT_EQ(cuts_of(step), "head@0 block_7#1@1 block_8#2@4 tail@7");
  const auto cuts = annotation_cuts(step.input(), step.device.main);
  EXPECT_EQ(cuts[1].name.kind, StructureKind(AnnotationStem{"block_#"}));
  EXPECT_EQ(cuts[2].name.kind, cuts[1].name.kind);
  EXPECT_TRUE(cuts[1].is_layer);
}

TEST(AnnotationCuts, EqualNamesAreNumbered) {
  EXPECT_EQ(cuts_of(5, {{"attention", 0, 2}, {"attention", 3, 5}}),
            "attention#1@0 between@2 attention#2@3");
}

TEST(AnnotationCuts, OutermostOfThoseThatRepeatServe) {
  EXPECT_EQ(cuts_of(8, {{"whole model", 0, 8},
                        {"layer 0", 0, 4},
                        {"matmul", 1, 3},
                        {"layer 1", 4, 8},
                        {"matmul", 5, 7}}),
            "layer 0#1@0 layer 1#2@4");
}

TEST(AnnotationCuts, MarkersOfStepsAreNoStructures) {
  EXPECT_EQ(cuts_of(4, {{"ProfilerStep#1", 0, 2}, {"ProfilerStep#2", 2, 4}}), "");
}

TEST(AnnotationCuts, OwnAnnotationsAreNoEvidence) {
  TestStep step;
  step.add_launched(4);
  for (const int first : {0, 2}) {
    step.device.trace.add(step.device.trace.host, trace::Kind::kAnnotation, "layer",
                          25'000 * first - 2000, 50'000, trace::kNoCorrelation,
                          trace::kOwnAnnotationCategory);
  }
  EXPECT_EQ(cuts_of(step), "");
}

TEST(AnnotationCuts, MustEncloseHalfOfTheLaunches) {
  TestStep step;
  step.add_launched(8);
  annotate(step, {{"layer 0", 0, 2}, {"layer 1", 2, 4}});
  EXPECT_EQ(cuts_of(step), "layer 0#1@0 layer 1#2@2 tail@4");
  step.add_launched(1);
  EXPECT_EQ(cuts_of(step), "");
}

TEST(AnnotationCuts, OfAnotherThreadEncloseNothing) {
  TestStep step;
  step.add_launched(4);
  const trace::TrackId thread = step.device.trace.add_host_thread("2");
  step.device.trace.add(thread, trace::Kind::kAnnotation, "layer 0", -2000, 50'000);
  step.device.trace.add(thread, trace::Kind::kAnnotation, "layer 1", 48'000, 50'000);
  EXPECT_EQ(cuts_of(step), "");
}

TEST(AnnotationCuts, WithoutLaunchesThereAreNone) {
  TestStep step;
  step.add_kernels(4);
  annotate(step, {{"layer 0", 0, 2}, {"layer 1", 2, 4}});
  EXPECT_EQ(cuts_of(step), "");
}

TEST(AnnotationCuts, TornToPiecesTheyAreNoStructures) {
  TestStep step;
  const trace::TrackId thread = step.device.trace.add_host_thread("2");
  step.device.trace.add(step.device.trace.host, trace::Kind::kAnnotation, "part 0", -5000,
                        1'000'000);
  step.device.trace.add(thread, trace::Kind::kAnnotation, "part 1", -5000, 1'000'000);
  for (std::int64_t i = 0; i < 6; ++i) {
    const trace::TrackId host = i % 2 == 0 ? step.device.trace.host : thread;
    const trace::EventId call = step.device.trace.add(host, trace::Kind::kRuntimeCall,
                                                      "cudaLaunchKernel", 25'000 * i - 1000, 5, i);
    const trace::EventId work = step.device.add("k", 25 * i, 20);
    step.device.trace.trace.flows.push_back({call, work, trace::Flow::Kind::kLaunch, {}});
  }
  EXPECT_EQ(cuts_of(step), "");
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
