// Tests of how findings read.
#include "report/anomalies/words/finding_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/copy_findings.h"
#include "analysis/anomalies/verdict/findings_for_test.h"
#include "report/anomalies/words/answer_words.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnomalyStep;
using analysis::anomalies::Bubble;
using analysis::anomalies::Finding;
using analysis::anomalies::FindingKind;
using analysis::anomalies::GapMetrics;
using analysis::anomalies::kinds_of;
using analysis::anomalies::kNoKernel;
using analysis::anomalies::LongGaps;
using analysis::anomalies::many_kernels;
using analysis::anomalies::planned_step;
using analysis::anomalies::step_at_the_edge;
using analysis::anomalies::step_with_exposed_aicpu;
using analysis::anomalies::step_with_gaps_of_milliseconds;
using analysis::anomalies::step_with_heavy_gaps;
using analysis::anomalies::step_with_unmeasured_collectives;
using analysis::anomalies::step_with_unrecorded_work;
using analysis::anomalies::step_with_waiting_collectives;
using analysis::anomalies::steps_alike;
using analysis::anomalies::steps_stalling;
using analysis::anomalies::steps_starting_late;
using analysis::anomalies::steps_with_a_late_collective;
using analysis::anomalies::steps_with_a_long_collective;
using analysis::anomalies::steps_without_peers;
using analysis::anomalies::Tag;
using analysis::anomalies::TestSteps;
using analysis::anomalies::us;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// A finding with its words.
struct Told : Finding, FindingWords {};

std::vector<Told> told_of(TestSteps& steps) {
  steps.conclude();
  std::vector<Told> told;
  for (const Finding& finding : steps.device.findings)
    told.push_back({finding, finding_words(steps.test.trace, steps.device, finding)});
  return told;
}

TEST(FindingWords, AnOutlierIsOneFinding) {
  TestSteps steps = steps_starting_late({100, 2000, 100, 100});
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kStepOutlier});
  EXPECT_THAT(findings[0].text, HasSubstr("step 1 waits for its first kernel for 2.000 ms"));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("runs no kernel for 2.000 ms")));
}

TEST(FindingWords, ACollectiveThatRunsLongInOneStepIsToldAsAPossibleWait) {
  TestSteps steps = steps_with_a_long_collective();
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kStepOutlier});
  EXPECT_EQ(findings[0].text,
            "step 1 runs nothing but collectives for 8.510 ms, where the group's median is 510.000 "
            "us: 8.000 ms of its 17.510 ms (45.7 %).");
  EXPECT_THAT(findings[0].evidence, Contains("Its longest collective is ncclAllReduce, 8.500 ms."));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("a slower peer")));
  EXPECT_THAT(findings[0].evidence, Not(Contains(HasSubstr("move data for"))));

  steps.device.steps[1].facts.comm.elapsed = us(8510);
  steps.device.steps[1].facts.comm.transit = us(400);
  EXPECT_THAT(told_of(steps)[0].evidence,
              Contains("Its collectives move data for 400.000 us of 8.510 ms."));
}

TEST(FindingWords, ACollectiveOfTheStepBeforeMayBeTheLongest) {
  TestSteps steps = steps_with_a_late_collective();
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kStepOutlier});
  EXPECT_THAT(findings[0].evidence, Contains("Its longest collective is ncclReduce, 3.000 ms."));
}

TEST(FindingWords, AStallOfMostStepsIsOneFindingWithItsHeavyPart) {
  TestSteps steps = steps_stalling({40, 5000, 6000, 5500, 9000});
  const std::vector<Told> findings = told_of(steps);
  // The step with 9 ms stands out too, and is told once.
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kRecurringStall});
  EXPECT_THAT(findings[0].text, HasSubstr("4 of 5 steps of group g0 stall for 5.000 ms to 9.000 ms "
                                          "between b and c (kernel 2 of the step)"));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("5 steps have a significant gap there")));
}

TEST(FindingWords, AStallNamesTheOperatorThatTheHostIsIn) {
  TestSteps steps = steps_alike(3, planned_step(0, 5000));
  const trace::EventId op =
      steps.test.add(steps.test.host, trace::Kind::kHostOp, "aten::attention", 0, 1);
  for (Bubble& bubble : steps.device.bubbles) bubble.inside_op = op;
  EXPECT_THAT(told_of(steps).front().text, HasSubstr("while the host is inside aten::attention."));
}

TEST(FindingWords, HeavyGapsOfStepsWithoutPeersAreToldByScope) {
  TestSteps steps;
  steps.add(planned_step(0, 2000), 1500);
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings),
            (std::vector{FindingKind::kHeavyBubble, FindingKind::kHeavyBubble}));
  EXPECT_THAT(findings[0].text, HasSubstr("A gap of 2.000 ms inside step 0, between b and c"));
  EXPECT_THAT(findings[0].evidence, Not(Contains(HasSubstr("like it"))));
  EXPECT_THAT(findings[0].evidence, Not(Contains(HasSubstr("edge of the capture"))));
}

TEST(FindingWords, SeveralHeavyGapsOfAGroupAreOneFinding) {
  TestSteps steps = step_with_heavy_gaps();
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("2 heavy gaps like it, 5.000 ms in all")));
}

TEST(FindingWords, AHeavyGapAtTheEdgeOfTheCaptureIsNoAlarm) {
  TestSteps steps = step_at_the_edge();
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("edge of the capture")));
  EXPECT_THAT(findings[0].evidence, Not(Contains(HasSubstr("Possible"))));
}

TEST(FindingWords, ManyShortGapsAreOneFindingOfTheGroup) {
  TestSteps steps = steps_alike(10, many_kernels(30));
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kLaunchBound});
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("does not say who launched")));
  EXPECT_THAT(findings[0].evidence,
              Contains(HasSubstr("1,000 kernels keep the device busy for "
                                 "10.000 us each on average, and 30.000 us")));
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("1,000 gaps are significant, 30.000 ms")));
  EXPECT_THAT(findings[0].evidence, Contains("Possible: the host is busy but launches too late."));
}

TEST(FindingWords, ShortGapsOfSeveralGroupsAreOneSentence) {
  TestSteps steps = steps_alike(10, many_kernels(30));
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(findings.size(), 1U);
  const Finding& one = steps.device.findings.front();
  EXPECT_EQ(short_gaps_words(steps.device, {&one}), findings.front().text);
  const std::string text = short_gaps_words(steps.device, {&one, &one, &one});
  EXPECT_THAT(text, HasSubstr("Groups g0, g0 and g0 (30 steps) idle "));
  EXPECT_THAT(text, HasSubstr("in short gaps: they are launch bound, kernels end sooner"));
  EXPECT_THAT(short_gaps_words(steps.device, std::vector<const Finding*>(9, &one)),
              HasSubstr("Groups g0, g0, g0, g0, g0 and 4 more (90 steps)"));
}

TEST(FindingWords, GapsOfMillisecondsAreNoLaunchBoundEvenWhereNoneIsHeavy) {
  TestSteps steps = step_with_gaps_of_milliseconds();
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kHeavyBubble});
  EXPECT_THAT(findings[0].text, HasSubstr("20 of 1.000 ms and more take 40.500 ms, the longest "
                                          "2.500 ms"));
  EXPECT_THAT(findings[0].evidence.front(), HasSubstr("Possible: "));
}

TEST(FindingWords, CollectivesThatOnlyWaitAreTold) {
  TestSteps steps = step_with_waiting_collectives(100);
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kCommStall});
  EXPECT_THAT(findings[0].evidence,
              Contains("They move data for 100.000 us (5.0 % of their time)."));
}

TEST(FindingWords, CollectivesOfUnknownTransitAreNotCountedAsWaiting) {
  TestSteps steps = step_with_unmeasured_collectives();
  const std::vector<Told> findings = told_of(steps);
  EXPECT_THAT(findings[0].text, HasSubstr("spends 2.000 ms in collectives"));
}

TEST(FindingWords, CollectivesThatWaitBehindOtherKernelsHarmLittle) {
  TestSteps steps = step_with_waiting_collectives(100);
  GapMetrics& gaps = steps.device.steps.front().facts.gaps;
  gaps.computing = gaps.device_busy - us(949);
  const Told hidden = told_of(steps).front();
  EXPECT_THAT(hidden.text, HasSubstr("most of it is hidden behind other kernels"));
}

TEST(FindingWords, CollectivesThatMoveNothingMayNotHaveBeenMeasured) {
  TestSteps steps = step_with_waiting_collectives(0);
  const std::vector<Told> findings = told_of(steps);
  EXPECT_THAT(findings[0].evidence, Contains(HasSubstr("if transit was measured")));
}

TEST(FindingWords, ExposedAiCpuOperatorsAreNamed) {
  TestSteps steps = step_with_exposed_aicpu();
  const std::vector<Told> findings = told_of(steps);
  ASSERT_EQ(kinds_of(findings), std::vector{FindingKind::kAicpuExposed});
  EXPECT_THAT(findings[0].text, HasSubstr("2 operators of group g0 run on the AI CPU"));
  EXPECT_THAT(findings[0].evidence, ElementsAre("Exposed: b (300.000 us)."));
  steps.device.steps.front().facts.aicpu.exposed_count = 1;
  EXPECT_THAT(told_of(steps)[0].text, HasSubstr("1 operator of group g0 runs on the"));
}

TEST(FindingWords, AnArtefactSaysWhy) {
  TestSteps steps = step_with_unrecorded_work();
  steps.device.bubbles.front().kernel_after = kNoKernel;
  const std::string because =
      "the host sat in a synchronising call while nothing was recorded on the device.";
  EXPECT_EQ(told_of(steps).at(0).text,
            "9.000 ms that look idle are an artefact, because for 9.000 ms " + because);
  EXPECT_THAT(answer_words(steps.test.trace, steps.device)[0],
              HasSubstr("No: the idle share of 69.2 % is an artefact, because for 9.000 ms the"));
  steps.device.artefacts.push_back({Tag::kUnrecordedWork, 0, us(9500), 0});
  EXPECT_EQ(told_of(steps).at(0).text,
            "18.500 ms that look idle, 2 gaps in 1 step, are an artefact: in the longest, of step "
            "0, for 9.500 ms " +
                because);
  EXPECT_THAT(answer_words(steps.test.trace, steps.device)[0],
              HasSubstr("is an artefact: in the longest of 2 gaps for 9.500 ms the host"));
}

TEST(FindingWords, StallsOfOneLengthAreToldWithIt) {
  TestSteps steps = steps_alike(3, planned_step(0, 5000));
  EXPECT_THAT(told_of(steps).front().text,
              HasSubstr("3 of 3 steps of group g0 stall for 5.000 ms between"));
}

TEST(FindingWords, ManyGroupsOfOneStepAreNotToldOneByOne) {
  TestSteps steps = steps_without_peers(30);
  const std::vector<Told> findings = told_of(steps);
  EXPECT_THAT(findings.back().evidence, Contains(HasSubstr("20 more groups")));
}

TEST(FindingWords, OneMoreGroupIsNotSeveral) {
  TestSteps steps = steps_without_peers(11);
  const std::vector<Told> findings = told_of(steps);
  EXPECT_THAT(findings.back().evidence, Contains("1 more group with smaller gaps is not told."));
}

TEST(FindingWords, OneLongGapIsNotSeveral) {
  TestSteps steps = step_with_gaps_of_milliseconds();
  Finding finding = told_of(steps).at(0);
  std::get<LongGaps>(finding.detail).count = 1;
  EXPECT_THAT(finding_words(steps.test.trace, steps.device, finding).text,
              HasSubstr("by itself: 1 of 1.000 ms and more takes 40.500 ms"));
}

TEST(FindingWords, CopiesOfManyGroupsAreNotToldOneByOne) {
  TestSteps steps;
  for (int i = 0; i < 12; ++i) {
    AnomalyStep& one = steps.add({{.name = "a" + std::to_string(i)}, {.name = "b", .gap = 4000}});
    one.facts.gaps.exposed_copy = us(3000);
    one.tags.add(Tag::kCopyExposed);
  }
  steps.aggregate_groups();
  const std::vector<char> untold(steps.device.bubbles.size(), 0);
  const auto findings =
      analysis::anomalies::exposed_copies({steps.test.trace, steps.device, {}, {}}, untold);
  EXPECT_EQ(finding_words(steps.test.trace, steps.device, findings.back()).evidence.back(),
            "2 more groups with shorter copies are not told one by one.");
}

}  // namespace
}  // namespace lockstep::report::anomalies
