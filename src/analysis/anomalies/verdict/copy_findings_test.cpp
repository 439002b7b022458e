// Copies while no kernel runs are told once.
#include "analysis/anomalies/verdict/copy_findings.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/steps/step_outliers.h"
#include "analysis/anomalies/steps/steps_for_test.h"
#include "analysis/anomalies/verdict/finding_parts.h"

namespace lockstep::analysis::anomalies {
namespace {

// Three steps with a gap of 4 ms before their second kernel, of which 3 ms are a copy.
class ExposedCopiesTest : public testing::Test {
 protected:
  ExposedCopiesTest() {
    for (int i = 0; i < 3; ++i) {
      AnomalyStep& step = steps_.add({{.name = "a"}, {.name = "b", .gap = 4000}});
      step.facts.gaps.exposed_copy = us(3000);
      step.tags.add(Tag::kCopyExposed);
    }
    steps_.aggregate_groups();
    for (Bubble& bubble : steps_.device.bubbles) bubble.copied = us(3000);
    told_.assign(steps_.device.bubbles.size(), 0);
  }

  std::vector<Finding> find(const std::vector<StepOutlier>& outliers = {}) {
    return exposed_copies({steps_.test.trace, steps_.device, outliers, thresholds_}, told_);
  }

  TestSteps steps_;
  Thresholds thresholds_;
  std::vector<char> told_;
};

TEST_F(ExposedCopiesTest, AreOneFindingWithTheLongestAsItsExample) {
  steps_.device.bubbles[1].copied = us(3001);
  const std::vector<Finding> findings = find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, FindingKind::kCopyExposed);
  EXPECT_EQ(findings[0].cost, us(9000).ps);
  EXPECT_EQ(findings[0].bubble, 1U);
  EXPECT_EQ(findings[0].scope, BubbleScope::kInternal);
  EXPECT_FALSE(findings[0].step);
}

TEST_F(ExposedCopiesTest, AreNotToldAgainWhereABubbleTellsThem) {
  told_.assign(told_.size(), 1);
  EXPECT_TRUE(find().empty());
}

TEST_F(ExposedCopiesTest, OfOneStepNameIt) {
  told_ = {1, 0, 1};
  const std::vector<Finding> findings = find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].step, 1U);
  EXPECT_EQ(findings[0].bubble, 1U);
}

TEST_F(ExposedCopiesTest, BeyondWhatABubbleTellsAreToldFromTheLimitOn) {
  told_.assign(told_.size(), 1);
  steps_.device.steps[1].facts.gaps.exposed_copy = us(4000);
  EXPECT_EQ(find().size(), 1U);
  steps_.device.steps[1].facts.gaps.exposed_copy = us(4000) - Time{1};
  EXPECT_TRUE(find().empty());
}

TEST_F(ExposedCopiesTest, ThatMakeAStepStandOutAreNotToldAgain) {
  std::vector<StepOutlier> outliers;
  for (std::uint32_t s = 0; s < 3; ++s)
    outliers.push_back({StepOutlier::Cause::kCopy, s, kNoKernel, us(3000), {}});
  EXPECT_TRUE(find(outliers).empty());
}

TEST_F(ExposedCopiesTest, OfHardlyAnyTimeAreWorthKnowing) {
  EXPECT_EQ(find().front().priority, Priority::kP1);
  const WideTime exposed = 9000 * kPicosecondsPerMicrosecond;
  const WideTime copying = 3 * 4020 * kPicosecondsPerMicrosecond;
  steps_.add({{.name = "of another group", .duration = 1000}});
  AnomalyStep& other = steps_.device.steps.back();
  other.facts.gaps.service = {static_cast<std::int64_t>(100 * exposed - copying)};
  EXPECT_EQ(find().front().priority, Priority::kP1);
  other.facts.gaps.service = {static_cast<std::int64_t>(101 * exposed - copying)};
  EXPECT_EQ(find().front().priority, Priority::kP3);
}

TEST(ExposedCopiesOfManyGroups, AreNotToldOneByOne) {
  TestSteps steps;
  for (int i = 0; i < 12; ++i) {
    AnomalyStep& step = steps.add({{.name = "a" + std::to_string(i)}, {.name = "b", .gap = 4000}});
    step.facts.gaps.exposed_copy = us(i == 11 ? 3500 : 3000);
    step.tags.add(Tag::kCopyExposed);
  }
  steps.aggregate_groups();
  const std::vector<char> told(steps.device.bubbles.size(), 0);
  const auto findings = exposed_copies({steps.test.trace, steps.device, {}, {}}, told);
  ASSERT_EQ(findings.size(), kMostHeavyFindings);
  EXPECT_EQ(findings.front().step, 11U);
  EXPECT_EQ(std::get<ExposedCopies>(findings.back().detail).untold, 2U);
}

TEST_F(ExposedCopiesTest, OutsideOfBubblesHaveNoExample) {
  for (Bubble& bubble : steps_.device.bubbles) bubble.copied = {};
  const std::vector<Finding> findings = find();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_FALSE(findings[0].bubble);
  EXPECT_FALSE(findings[0].scope);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
