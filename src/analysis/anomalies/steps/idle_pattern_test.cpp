// Tests of idle time by scope and of the pattern that it makes.
#include "analysis/anomalies/steps/idle_pattern.h"

#include <array>

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/times_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

MeasuredGaps one_step() {
  MeasuredGaps gaps;
  gaps.prelaunch = us(5);
  gaps.internal_total = us(30);
  gaps.dispatch_total = us(10);
  gaps.tail = us(20);
  gaps.inter_step = us(8);
  return gaps;
}

Bubble bubble_of(BubbleScope scope, std::int64_t length_us) {
  Bubble bubble;
  bubble.scope = scope;
  bubble.end = us(length_us);
  return bubble;
}

IdleByScope idle_of(Time prelaunch, Time internal, Time tail = {}, Time inter_step = {}) {
  IdleByScope idle;
  idle.at(BubbleScope::kPrelaunch) = prelaunch.ps;
  idle.at(BubbleScope::kInternal) = internal.ps;
  idle.at(BubbleScope::kTail) = tail.ps;
  idle.at(BubbleScope::kInterStep) = inter_step.ps;
  return idle;
}

// Of one step that takes no time, so that significant_us decides.
IdlePattern pattern_of_one(const IdleByScope& idle) { return idle_pattern(idle, 1, {}, {}); }

TEST(IdleByScope, OfNoStepsIsNothing) {
  for (const WideTime time : idle_by_scope({}, {}).by) EXPECT_EQ(time, 0);
}

TEST(IdleByScope, DispatchIsNoIdleTimeAndWhatLiesBetweenStepsNoTail) {
  const std::array steps{one_step(), one_step()};
  const IdleByScope idle = idle_by_scope(steps, {});
  EXPECT_EQ(idle.at(BubbleScope::kPrelaunch), us(10).ps);
  EXPECT_EQ(idle.at(BubbleScope::kInternal), us(40).ps);
  EXPECT_EQ(idle.at(BubbleScope::kTail), us(24).ps);
  EXPECT_EQ(idle.at(BubbleScope::kInterStep), us(16).ps);
}

TEST(IdleByScope, ArtefactsAndEdgesAreTakenOffAndOtherBubblesAreNot) {
  const std::array steps{one_step()};
  Bubble artefact = bubble_of(BubbleScope::kInternal, 15);
  artefact.is_unrecorded = true;
  Bubble edge = bubble_of(BubbleScope::kTail, 100);
  edge.touches_edge = true;
  const Bubble judged = bubble_of(BubbleScope::kPrelaunch, 5);
  const std::array<const Bubble*, 3> bubbles{&artefact, &edge, &judged};
  const IdleByScope idle = idle_by_scope(steps, bubbles);
  EXPECT_EQ(idle.at(BubbleScope::kPrelaunch), us(5).ps);
  EXPECT_EQ(idle.at(BubbleScope::kInternal), us(5).ps);
  EXPECT_EQ(idle.at(BubbleScope::kTail), 0) << "and never less";
  EXPECT_EQ(idle.at(BubbleScope::kInterStep), us(8).ps);
}

TEST(IdlePattern, NoIdleTimeIsNoPattern) { EXPECT_EQ(pattern_of_one({}), IdlePattern::kNone); }

TEST(IdlePattern, BeginsAtTheLeastSignificantTime) {
  EXPECT_EQ(pattern_of_one(idle_of({}, us(10))), IdlePattern::kInternal);
  EXPECT_EQ(pattern_of_one(idle_of({}, us(10) - Time{1})), IdlePattern::kNone);
  MetricSpread long_steps;
  long_steps.mean_ps = static_cast<double>(ms(20).ps);
  EXPECT_EQ(idle_pattern(idle_of({}, us(20)), 1, long_steps, {}), IdlePattern::kInternal);
  EXPECT_EQ(idle_pattern(idle_of({}, us(20) - Time{1}), 1, long_steps, {}), IdlePattern::kNone);
}

TEST(IdlePattern, IsThatOfTheMeanStep) {
  EXPECT_EQ(idle_pattern(idle_of({}, us(30)), 3, {}, {}), IdlePattern::kInternal);
  EXPECT_EQ(idle_pattern(idle_of({}, us(30)), 4, {}, {}), IdlePattern::kNone);
}

TEST(IdlePattern, IsTheScopeOfMostIdleTime) {
  EXPECT_EQ(pattern_of_one(idle_of(us(100), us(20), us(20))), IdlePattern::kPrelaunch);
  EXPECT_EQ(pattern_of_one(idle_of(us(20), us(20), us(100))), IdlePattern::kTail);
  EXPECT_EQ(pattern_of_one(idle_of({}, {}, {}, us(100))), IdlePattern::kInterStep);
}

TEST(IdlePattern, IsMixedFromExactlyTheShareOfTheSecondOn) {
  EXPECT_EQ(pattern_of_one(idle_of(us(100), {}, us(80))), IdlePattern::kMixed);
  EXPECT_EQ(pattern_of_one(idle_of(us(100), {}, us(80) - Time{1})), IdlePattern::kPrelaunch);
}

TEST(IdlePattern, IsInterStepFromExactlyTwiceAllInsideOn) {
  Thresholds thresholds;
  thresholds.mixed_share = 0.2;  // which comes second
  const auto between = [&](Time time) {
    return idle_pattern(idle_of(us(40), us(30), us(30), time), 1, {}, thresholds);
  };
  EXPECT_EQ(between(us(200) - Time{1}), IdlePattern::kMixed);
  EXPECT_EQ(between(us(200)), IdlePattern::kInterStep);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
