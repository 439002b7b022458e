// Tests of places whose gaps come back.
#include "analysis/anomalies/steps/recurrence.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/steps/steps_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

// A step of three kernels with gaps before the second and the third.
std::vector<PlannedKernel> three_kernels(std::int64_t second, std::int64_t third = 0) {
  return {{.name = "a"}, {.name = "b", .gap = second}, {.name = "c", .gap = third}};
}

std::vector<std::vector<RecurringGap>> recurring_of(TestSteps& steps,
                                                    const Thresholds& thresholds = {}) {
  steps.group(thresholds);
  const std::vector<StepFrame> frames = steps.frames();
  const std::vector<std::uint32_t> group_of = steps.group_numbers();
  const std::vector<GroupMembers> groups = steps.members();
  return recurring_gaps(steps.test.trace, steps.device.timeline,
                        {.frames = frames, .gaps = {}, .group_of = group_of, .groups = groups},
                        steps.device.bubbles, thresholds);
}

// Of `all` steps the first `stalled` have a gap of 50 us before their second kernel.
std::vector<RecurringGap> with_stalls(int stalled, int all, const Thresholds& thresholds = {}) {
  TestSteps steps;
  for (int i = 0; i < all; ++i) steps.add(three_kernels(i < stalled ? 50 : 0));
  return recurring_of(steps, thresholds).at(0);
}

TEST(Recurrence, NoStepsHaveNoGroups) {
  TestSteps steps;
  EXPECT_TRUE(recurring_of(steps).empty());
}

TEST(Recurrence, OneStepIsAGroupWithoutRecurrence) { EXPECT_TRUE(with_stalls(1, 1).empty()); }

TEST(Recurrence, AGroupNeedsRecurringSteps) {
  EXPECT_TRUE(with_stalls(2, 2).empty());
  EXPECT_EQ(with_stalls(3, 3).size(), 1U);
  Thresholds thresholds;
  thresholds.recurring_steps = 1;
  EXPECT_EQ(with_stalls(1, 1, thresholds).size(), 1U);
}

TEST(Recurrence, APlaceThatStallsInExactlyTheShareOfStepsRecurs) {
  EXPECT_TRUE(with_stalls(0, 10).empty());
  EXPECT_TRUE(with_stalls(5, 10).empty());
  const std::vector<RecurringGap> six = with_stalls(6, 10);
  ASSERT_EQ(six.size(), 1U);
  EXPECT_EQ(six.front().steps, 6U);
  EXPECT_EQ(six.front().position, 1U);
  EXPECT_EQ(six.front().median, us(50));
  EXPECT_EQ(six.front().total, us(300).ps);
}

TEST(Recurrence, StepsAreCountedAndNotBubbles) {
  for (const int stalled : {2, 3}) {
    TestSteps steps;
    for (int i = 0; i < 5; ++i) steps.add(three_kernels(i < stalled ? 50 : 0));
    std::vector<Bubble>& bubbles = steps.device.bubbles;
    bubbles.insert(bubbles.end(), bubbles.begin(), bubbles.begin() + stalled);  // two a step
    const std::vector<RecurringGap> gaps = recurring_of(steps).at(0);
    if (stalled == 2) {
      EXPECT_TRUE(gaps.empty()) << "four bubbles in two steps";
      continue;
    }
    ASSERT_EQ(gaps.size(), 1U);
    EXPECT_EQ(gaps.front().steps, 3U);
    EXPECT_EQ(gaps.front().bubbles.size(), 6U);
    EXPECT_EQ(gaps.front().median, us(100)) << "of a step, both bubbles together";
    EXPECT_EQ(gaps.front().total, us(300).ps);
  }
}

TEST(Recurrence, TheGreatestTotalComesFirst) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) steps.add(three_kernels(20, 70));
  const std::vector<RecurringGap> gaps = recurring_of(steps).at(0);
  ASSERT_EQ(gaps.size(), 2U);
  EXPECT_EQ(gaps[0].position, 2U);
  EXPECT_EQ(gaps[0].total, us(210).ps);
  EXPECT_EQ(gaps[1].position, 1U);
  EXPECT_EQ(gaps[1].total, us(60).ps);
}

TEST(Recurrence, TheLongestGapOfAPlaceStandsForIt) {
  TestSteps steps;
  for (const std::int64_t gap : {40, 90, 50}) steps.add(three_kernels(gap));
  const std::vector<RecurringGap> gaps = recurring_of(steps).at(0);
  ASSERT_EQ(gaps.size(), 1U);
  EXPECT_EQ(gaps.front().kernel_before, 3U) << "of the second step";
  EXPECT_EQ(gaps.front().kernel_after, 4U);
  EXPECT_EQ(gaps.front().bubbles, (std::vector<std::uint32_t>{1, 2, 0}));
}

TEST(Recurrence, GroupsAreAskedApart) {
  TestSteps steps;
  for (int i = 0; i < 3; ++i) {
    steps.add(three_kernels(50));
    steps.add({{.name = "x"}, {.name = "y", .gap = i == 0 ? 50 : 0}});
  }
  const std::vector<std::vector<RecurringGap>> by_group = recurring_of(steps);
  ASSERT_EQ(by_group.size(), 2U);
  EXPECT_EQ(by_group[steps.device.steps[0].group].size(), 1U);
  EXPECT_TRUE(by_group[steps.device.steps[1].group].empty());
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
