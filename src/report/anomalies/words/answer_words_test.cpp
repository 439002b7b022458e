// Tests of how causes and the five answers read.
#include "report/anomalies/words/answer_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/verdict/causes_for_test.h"
#include "report/anomalies/words/cause_words.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::AnomalyStep;
using analysis::anomalies::launch_in_time;
using analysis::anomalies::launch_late;
using analysis::anomalies::many_kernels;
using analysis::anomalies::planned_step;
using analysis::anomalies::SoftLabel;
using analysis::anomalies::step_with_waiting_collectives;
using analysis::anomalies::steps_stalling;
using analysis::anomalies::steps_starting_late;
using analysis::anomalies::Tag;
using analysis::anomalies::TestSteps;
using analysis::anomalies::TwoGaps;
using analysis::anomalies::us;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

AnswerWords answers_of(const TestSteps& steps) {
  return answer_words(steps.test.trace, steps.device);
}

TEST(CauseWords, AreSureFromFourFifthsOfTheGapTimeOn) {
  TwoGaps sure(SoftLabel::kSyncOrH2d, 400, 100);
  sure.leading();
  EXPECT_THAT(answers_of(sure.steps)[4],
              StartsWith("For a family of causes, not for one culprit: "));
}

TEST(CauseWords, TellTheirEvidence) {
  TwoGaps gaps(SoftLabel::kSyncOrH2d, 400, 100);
  gaps.synchronise_in_an_operator();
  EXPECT_THAT(cause_words(gaps.leading()),
              ElementsAre("400.000 us of 500.000 us of significant gaps (80.0 %).",
                          "Host events cover 0.0 % of that, synchronising and copying calls 75.0 "
                          "%, communication calls 0.0 %.",
                          "100.0 % of it passes before the launch of the next kernel has returned "
                          "(known for 100.0 %).",
                          "Host operators that the gaps lie in, or that launch the next kernel: "
                          "aten::item (400.000 us).",
                          HasSubstr("Look at the calls")));
}

TEST(CauseWords, NameTheCostliestOperatorsFirst) {
  TestSteps steps;
  steps.add({{.name = "k"},
             {.name = "k", .gap = 20},
             {.name = "k", .gap = 40},
             {.name = "k", .gap = 30},
             {.name = "k", .gap = 10}});
  for (std::size_t b = 0; b < steps.device.bubbles.size(); ++b)
    steps.device.bubbles[b].launch_op =
        steps.test.add(steps.test.host, trace::Kind::kHostOp, "op" + std::to_string(b), 0, 1);
  steps.conclude();
  EXPECT_THAT(cause_words(steps.device.causes.front()),
              Contains(HasSubstr("op1 (40.000 us), op2 (30.000 us) and op0 (20.000 us).")));
}

TEST(AnswerWords, SayNoWithFigures) {
  TestSteps steps = steps_starting_late({4});
  steps.conclude();
  const AnswerWords texts = answers_of(steps);
  EXPECT_EQ(texts[0],
            "No: the device idles 4.000 us of 4.004 ms (0.1 %), and no gap is significant.");
  EXPECT_EQ(texts[1], "In none: no step has a significant gap.");
  EXPECT_THAT(texts[2], StartsWith("None worth naming: a step of group g0 idles 4.000 us before"));
  EXPECT_EQ(texts[3], "No: no significant gap waits for the host.");
  EXPECT_EQ(texts[4], "There is nothing to explain.");
}

TEST(AnswerWords, SayYesAndWhere) {
  TestSteps steps = steps_starting_late({100, 4000, 100});
  launch_late(steps);
  steps.device.steps[1].tags = {Tag::kHostOriginatedRisk};
  steps.conclude();
  const AnswerWords texts = answers_of(steps);
  EXPECT_EQ(
      texts[0],
      "Yes: the device idles 4.200 ms of 16.200 ms (25.9 %). 3 significant gaps take 4.200 ms "
      "of it, 1 is heavy; the longest takes 4.000 ms in step 1.");
  EXPECT_THAT(texts[1], HasSubstr("Group g0 (3 steps of 3 kernels, such as step 0) has 100.0 %"));
  EXPECT_THAT(texts[1], HasSubstr("step 1 stands out of the group."));
  EXPECT_THAT(texts[2], StartsWith("Mostly prelaunch"));
  EXPECT_THAT(texts[3], StartsWith("Yes: in 100.0 % of the gap time the next kernel had not been "
                                   "launched yet"));
  EXPECT_THAT(texts[3], HasSubstr("HOST_ORIGINATED_RISK: 1 of 3 steps."));
  EXPECT_THAT(texts[4], StartsWith("In part: the leading label is possible_host_launch_lag"));
  EXPECT_THAT(texts[4], Not(HasSubstr("must be looked at further")));
}

TEST(AnswerWords, SmallGapsAreNoAlarmAndNoRisk) {
  TestSteps steps = steps_starting_late({50});
  launch_late(steps);
  steps.conclude();
  EXPECT_THAT(answers_of(steps)[0], StartsWith("Only small ones: "));
  EXPECT_EQ(answers_of(steps)[1], "In step 0, the only step (3 kernels): it is idle for 1.2 %.");
  EXPECT_THAT(answers_of(steps)[3], StartsWith("Hardly: "));
}

TEST(AnswerWords, ManyShortGapsAreAnAlarmToo) {
  TestSteps steps;
  steps.add(many_kernels(30));
  steps.conclude();
  EXPECT_THAT(answers_of(steps)[0], StartsWith("Yes, though none is heavy by itself: "));
  EXPECT_THAT(answers_of(steps)[1], Not(HasSubstr("out of the group")));
}

TEST(AnswerWords, UnexplainedGapsMustBeLookedAtFurther) {
  TwoGaps gaps(SoftLabel::kInsufficientEvidence, 2000, 100);
  gaps.leading();
  EXPECT_THAT(answers_of(gaps.steps)[4], StartsWith("No: the leading label is"));
  EXPECT_THAT(answers_of(gaps.steps)[4], HasSubstr("must be looked at further"));
}

TEST(AnswerWords, CollectivesThatOnlyWaitAreSaid) {
  for (const std::int64_t moving : {0, 100}) {
    TestSteps steps = step_with_waiting_collectives(moving);
    steps.conclude();
    const std::string said = "Collectives that count as busy wait for another 1.900 ms (47.5 %).";
    EXPECT_EQ(answers_of(steps)[0].find(said) != std::string::npos, moving > 0);
  }
}

TEST(AnswerWords, OnlySomeOfManyOutliersAreNamed) {
  TestSteps steps;
  for (int i = 0; i < 20; ++i) steps.add(planned_step(i % 3 == 1 ? 4000 : 0, i == 1 ? 4000 : 0));
  steps.conclude();
  EXPECT_THAT(answers_of(steps)[1],
              HasSubstr("step 1, step 4, step 7, step 10, step 13 and 2 more stand out"));
}

TEST(AnswerWords, WithoutStepsNothingIsKnown) {
  TestSteps steps;
  steps.conclude();
  EXPECT_THAT(answers_of(steps)[0], StartsWith("Nothing is known"));
  EXPECT_THAT(answers_of(steps)[2], StartsWith("None: "));
}

TEST(AnswerWords, QueuedGapsAreNotTheHosts) {
  TestSteps steps = steps_stalling({2000});
  launch_in_time(steps);
  steps.conclude();
  EXPECT_THAT(answers_of(steps)[3], StartsWith("No: in 0.0 % of the gap time"));
}

TEST(AnswerWords, TheEdgeOfTheCaptureAndDispatchGapsAreSaid) {
  TestSteps steps;
  AnomalyStep& one = steps.add(planned_step(3000, 0));
  one.facts.gaps.dispatch_total = us(5);
  one.facts.gaps.internal_total = us(5);
  one.facts.gaps.underfeed += us(5);
  steps.device.bubbles.front().touches_edge = true;
  steps.conclude();
  EXPECT_THAT(answers_of(steps)[0],
              HasSubstr("Another 3.000 ms lie at the edge of the capture and are not judged. Gaps "
                        "inside graph launches, 5.000 us, are counted apart."));
  EXPECT_THAT(answers_of(steps)[2], HasSubstr("idles 0 ns before its first kernel"));
}

}  // namespace
}  // namespace lockstep::report::anomalies
