// Tests of what structures are called.
#include "report/anomalies/words/structure_words.h"

#include <gtest/gtest.h>

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnnotationStem;
using analysis::anomalies::LoopBody;
using analysis::anomalies::PartBetweenGaps;
using analysis::anomalies::RestOfStep;
using analysis::anomalies::WholeStep;
using analysis::cycles::LoopRole;
using analysis::cycles::PhaseName;

TEST(StructureWords, OfALoopAreItsRoleAndPhase) {
  const LoopBody body{.role = LoopRole::kLayer, .phase = PhaseName::kForward, .kernels = 42};
  EXPECT_EQ(structure_words({.kind = body, .number = 3}), "forward layer 3");
  EXPECT_EQ(structure_type_words(body), "forward layer, 42 kernels");
}

TEST(StructureWords, OfALoopWithoutARoleAreIterations) {
  const LoopBody body{.kernels = 10};
  EXPECT_EQ(structure_words({.kind = body, .number = 1}), "iteration 1");
  EXPECT_EQ(structure_type_words(LoopBody{.phase = PhaseName::kDecode, .kernels = 1}),
            "decode iteration, 1 kernel");
}

TEST(StructureWords, BodiesThatReadAlikeAreNumbered) {
  const LoopBody body{.role = LoopRole::kLayer, .kernels = 2, .alike = 2};
  EXPECT_EQ(structure_words({.kind = body, .number = 1}), "layer 1");
  EXPECT_EQ(structure_type_words(body), "layer, 2 kernels (2)");
}

TEST(StructureWords, OfAnAnnotationAreItsNameWithANumber) {
  EXPECT_EQ(
      structure_words({.kind = AnnotationStem{"block_#"}, .number = 1, .annotation = "block_7"}),
      "block_7");
  EXPECT_EQ(structure_words(
                {.kind = AnnotationStem{"attention"}, .number = 2, .annotation = "attention"}),
            "attention 2");
  EXPECT_EQ(structure_type_words(AnnotationStem{"block_#"}), "block_#");
}

TEST(StructureWords, OfWhatIsNoLayer) {
  EXPECT_EQ(structure_words({.kind = RestOfStep::kHead}), "head");
  EXPECT_EQ(structure_words({.kind = RestOfStep::kBetween}), "between");
  EXPECT_EQ(structure_type_words(RestOfStep::kTail), "tail");
  EXPECT_EQ(structure_words({.kind = PartBetweenGaps{}, .number = 2}), "part 2");
  EXPECT_EQ(structure_type_words(PartBetweenGaps{}), "part");
  EXPECT_EQ(structure_words({.kind = WholeStep{}}), "step");
}

}  // namespace
}  // namespace lockstep::report::anomalies
