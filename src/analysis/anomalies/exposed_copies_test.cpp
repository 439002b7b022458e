// Copies while no kernel runs are told once.
#include <gtest/gtest.h>

#include "analysis/anomalies/finding_parts.h"
#include "analysis/anomalies/steps_for_test.h"

namespace lockstep {
namespace {

// Three steps with a gap of 4 ms before their second kernel, of which 3 ms are a copy.
class ExposedCopies : public testing::Test {
 protected:
  ExposedCopies() {
    for (int i = 0; i < 3; ++i) {
      AnomalyStep& step = steps_.add({{.name = "a"}, {.name = "b", .gap = 4000}});
      step.facts.gaps.exposed_copy = TestSteps::us(3000);
      step.tags.add(Tag::kCopyExposed);
    }
    steps_.aggregate_groups();
    for (Bubble& bubble : steps_.device.bubbles) bubble.copied = TestSteps::us(3000);
    told_.assign(steps_.device.bubbles.size(), 0);
  }

  std::vector<Finding> find(const std::vector<StepOutlier>& outliers = {}) {
    return exposed_copies({steps_.test.trace, steps_.device, outliers, thresholds_}, told_);
  }

  TestSteps steps_;
  Thresholds thresholds_;
  std::vector<char> told_;
};

TEST_F(ExposedCopies, AreOneFindingWithTheLongestAsItsExample) {
  steps_.device.bubbles[1].copied = TestSteps::us(3001);
  const std::vector<Finding> findings = find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::kCopyExposed);
  EXPECT_EQ(findings[0].cost, TestSteps::us(9000).ps);
  EXPECT_EQ(findings[0].bubble, 1U);
  EXPECT_EQ(findings[0].scope, BubbleScope::kInternal);
  EXPECT_FALSE(findings[0].step);
}

TEST_F(ExposedCopies, AreNotToldAgainWhereABubbleTellsThem) {
  told_.assign(told_.size(), 1);
  EXPECT_TRUE(find().empty());
}

TEST_F(ExposedCopies, OfOneStepNameIt) {
  told_ = {1, 0, 1};
  const std::vector<Finding> findings = find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].step, 1U);
  EXPECT_EQ(findings[0].bubble, 1U);
}

TEST_F(ExposedCopies, BeyondWhatABubbleTellsAreToldFromTheLimitOn) {
  told_.assign(told_.size(), 1);
  steps_.device.steps[1].facts.gaps.exposed_copy = TestSteps::us(4000);
  EXPECT_EQ(find().size(), 1U);
  steps_.device.steps[1].facts.gaps.exposed_copy = TestSteps::us(4000) - Time{1};
  EXPECT_TRUE(find().empty());
}

TEST_F(ExposedCopies, ThatMakeAStepStandOutAreNotToldAgain) {
  std::vector<StepOutlier> outliers;
  for (std::uint32_t s = 0; s < 3; ++s)
    outliers.push_back({StepOutlier::Cause::kCopy, s, kNoKernel, TestSteps::us(3000), {}});
  EXPECT_TRUE(find(outliers).empty());
}

TEST_F(ExposedCopies, OutsideOfBubblesHaveNoExample) {
  for (Bubble& bubble : steps_.device.bubbles) bubble.copied = {};
  const std::vector<Finding> findings = find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings[0].bubble);
  EXPECT_FALSE(findings[0].scope);
}

}  // namespace
}  // namespace lockstep
