// Tests of which steps belong together.
#include "analysis/anomalies/steps/step_groups.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/steps/step_sequence.h"
#include "analysis/anomalies/steps/steps_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using Numbers = std::vector<std::uint32_t>;

std::vector<PlannedKernel> many(std::size_t count, std::string_view name = "k") {
  std::vector<PlannedKernel> kernels;
  for (std::size_t i = 0; i < count; ++i)
    kernels.push_back({.name = std::string(name) + std::to_string(i)});
  return kernels;
}

TEST(StepGroups, PutEqualSequencesTogether) {
  TestSteps steps;
  steps.add(TestSteps::plan({"a", "b", "c"}));
  steps.add(TestSteps::plan({"a", "c", "b"}));
  steps.add(TestSteps::plan({"a", "b", "c"}));
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 1, 0}));
  ASSERT_EQ(steps.device.groups.size(), 2U);
  EXPECT_EQ(steps.device.groups[0].id, "g0");
  EXPECT_EQ(steps.device.groups[0].steps, (Numbers{0, 2}));
  EXPECT_EQ(steps.device.groups[0].kernels, 3U);
  EXPECT_EQ(steps.device.groups[0].total_service, us(60).ps);
}

TEST(StepGroups, TheOneThatTakesLongestIsFirst) {
  TestSteps steps;
  steps.add(TestSteps::plan({"a"}));
  steps.add(TestSteps::plan({"b"}), 1000);
  steps.add(TestSteps::plan({"c"}));
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{1, 0, 2}));
}

TEST(StepGroups, NearlyEqualSequencesAreOneGroup) {
  TestSteps steps;
  steps.add(many(40));
  auto inserted = many(40);
  inserted.insert(inserted.begin() + 7, {.name = "x"});
  inserted.insert(inserted.begin() + 20, {.name = "y"});
  steps.add(inserted);  // two of forty are 5 %
  inserted.insert(inserted.begin() + 30, {.name = "z"});
  steps.add(inserted);
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 0, 1}));
}

TEST(StepGroups, StepsWithoutKernelsAreAGroupOfTheirOwn) {
  TestSteps steps;
  steps.add(TestSteps::plan({"a"}));
  steps.add({}, 5);
  steps.add({}, 6);
  Thresholds thresholds;
  thresholds.group_distance = 1;  // all steps with kernels would be near
  steps.group(thresholds);
  EXPECT_NE(steps.device.steps[0].group, steps.device.steps[1].group);
  EXPECT_EQ(steps.device.steps[1].group, steps.device.steps[2].group);
}

TEST(StepGroups, CollectivesAreEqualWithoutTheirCounters) {
  TestSteps steps;
  for (const char* name : {"hcom_allReduce__586_0_1", "hcom_allReduce__586_1_1"})
    steps.add({{.name = "a"}, {.name = name, .kind = trace::Kind::kCommunication}});
  steps.add(
      {{.name = "a"}, {.name = "hcom_allGather__586_2_1", .kind = trace::Kind::kCommunication}});
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 0, 1}));
}

TEST(StepGroups, NumbersInOtherNamesCount) {
  TestSteps steps;
  steps.add(TestSteps::plan({"gemm_128"}));
  steps.add(TestSteps::plan({"gemm_256"}));
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 1}));
}

// The second step ran its kernels in another order than it launched them.
TEST(StepGroups, CompareLaunchesNotHowStreamsInterleave) {
  TestSteps steps;
  steps.add(TestSteps::plan({"a", "b", "c"}));
  steps.add(TestSteps::plan({"a", "c", "b"}));
  const std::vector<std::int64_t> launches = {1, 2, 3, 11, 13, 12};
  for (std::size_t k = 0; k < launches.size(); ++k)
    steps.device.timeline.kernels[k].launched_by = steps.test.add(
        steps.test.host, trace::Kind::kRuntimeCall, "cudaLaunchKernel", launches[k], 1);
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 0}));
}

TEST(StepGroups, WithoutLaunchesCompareStreamByStream) {
  TestSteps steps;
  steps.add(TestSteps::plan({"a", "comm", "b"}));
  steps.add(TestSteps::plan({"a", "b", "comm"}));
  for (const std::size_t k : {1U, 5U}) steps.device.timeline.kernels[k].track = steps.other_stream;
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 0}));
}

TEST(StepGroups, AGroupThatWasMetLatelyIsComparedAfterManyOthers) {
  TestSteps steps;
  auto changed = many(40);
  changed[3].name = "x";
  auto changed_again = many(40);
  changed_again[9].name = "y";
  steps.add(many(40));
  for (int i = 0; i < 20; ++i) steps.add(many(40, "a" + std::to_string(i) + "_"));
  steps.add(changed);
  for (int i = 0; i < 20; ++i) steps.add(many(40, "b" + std::to_string(i) + "_"));
  steps.add(changed_again);
  steps.group();
  EXPECT_EQ(steps.device.steps.front().group, steps.device.steps[21].group);
  EXPECT_EQ(steps.device.steps.front().group, steps.device.steps.back().group);
}

std::vector<PlannedKernel> with_extra(std::size_t at) {
  auto kernels = many(20);  // one of twenty is 5 %
  kernels.insert(kernels.begin() + static_cast<std::ptrdiff_t>(at), {.name = "extra"});
  return kernels;
}

TEST(StepGroups, OddStepsAreNearTheUsualOneThoughNotNearEachOther) {
  TestSteps steps;
  steps.add(with_extra(3));
  steps.add(with_extra(11));
  for (int i = 0; i < 3; ++i) steps.add(many(20));
  steps.group();
  EXPECT_EQ(steps.group_numbers(), (Numbers{0, 0, 0, 0, 0}));
  EXPECT_EQ(steps.device.groups[0].template_step, 2U);
  EXPECT_EQ(steps.device.groups[0].kernels, 20U);
}

TEST(StepGroups, OfNearGroupsOfAnyLengthTheLastOneMetIsTaken) {
  const auto usual = many(40);  // two of forty are 5 %
  auto between = usual;
  between.insert(between.begin() + 5, 2, {.name = "extra"});
  auto longer = between;
  longer[20].name = "x";
  longer[30].name = "y";
  for (const bool is_longer_first : {false, true}) {
    TestSteps steps;
    steps.add(is_longer_first ? longer : usual);
    steps.add(is_longer_first ? usual : longer);
    steps.add(between);
    steps.group();
    EXPECT_NE(steps.device.steps[0].group, steps.device.steps[1].group);
    EXPECT_EQ(steps.device.steps[1].group, steps.device.steps[2].group);
  }
}

TEST(StepGroups, TheMostFrequentSequenceIsTheTemplate) {
  TestSteps steps;
  for (const std::size_t at : {3U, 3U}) steps.add(with_extra(at));
  for (const std::size_t at : {11U, 11U}) steps.add(with_extra(at));
  for (int i = 0; i < 3; ++i) steps.add(many(20));
  steps.group();
  EXPECT_EQ(steps.group_numbers(), Numbers(7, 0));
  EXPECT_EQ(steps.device.groups[0].template_step, 4U);
}

TEST(StepSequence, PlacesAreThoseOfTheTemplate) {
  TestSteps steps;
  steps.add(with_extra(3));
  steps.add(with_extra(11));
  for (int i = 0; i < 3; ++i) steps.add(many(20));
  steps.group();
  Thresholds thresholds;
  thresholds.recurring_steps = 2;
  const KernelPlaces places(steps.test.trace, steps.device.timeline, steps.frames(),
                            steps.members(), thresholds);
  EXPECT_EQ(places.place(3), algo::kUnaligned);
  EXPECT_EQ(places.place(4), 3U);
  EXPECT_EQ(places.place(21 + 11), algo::kUnaligned);
  EXPECT_EQ(places.place(21 + 12), 11U);
  EXPECT_EQ(places.place(42 + 19), 19U);
}

TEST(StepSequence, LimitsTheDistanceOfVeryLongSteps) {
  Thresholds thresholds;
  EXPECT_EQ(distance_limit(0, thresholds), 0U);
  EXPECT_EQ(distance_limit(19, thresholds), 0U);
  EXPECT_EQ(distance_limit(20, thresholds), 1U);
  EXPECT_EQ(distance_limit(10'000, thresholds), 500U);
  EXPECT_EQ(distance_limit(1'000'000, thresholds), 100U);
  EXPECT_EQ(distance_limit(100'000'000, thresholds), 16U);
  thresholds.group_distance = 7;
  EXPECT_EQ(distance_limit(5, thresholds), 5U);
}

TEST(StepSequence, PlacesSkipWhatWasInserted) {
  TestSteps steps;
  steps.add(many(40));
  auto inserted = many(40);
  inserted.insert(inserted.begin() + 7, {.name = "x"});
  steps.add(inserted);
  steps.group();
  Thresholds thresholds;
  thresholds.recurring_steps = 2;
  const KernelPlaces places(steps.test.trace, steps.device.timeline, steps.frames(),
                            steps.members(), thresholds);
  EXPECT_EQ(places.place(39), 39U);
  EXPECT_EQ(places.place(40 + 6), 6U);
  EXPECT_EQ(places.place(40 + 7), algo::kUnaligned);
  EXPECT_EQ(places.place(40 + 8), 7U);
  EXPECT_EQ(places.owner(39), 0U);
  EXPECT_EQ(places.owner(40), 1U);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
