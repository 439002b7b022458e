// Claims on what is shown of anomalies, and what it is called.
#include "report/anomalies/anomalies_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/anomalies/anomalies_for_test.h"

namespace lockstep::report::anomalies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AnomaliesView, BubblesAreShownByGroupAndLength) {
  AnomaliesFixture made;
  analysis::anomalies::DeviceAnomalies& device = made.device();
  device.bubbles[0].end = at_us(500);
  EXPECT_THAT(shown_bubbles(device, kAllBubbles), ElementsAre(0, 1, 2));
  device.groups.push_back(device.groups[0]);
  device.steps[0].group = 1;
  EXPECT_THAT(shown_bubbles(device, kAllBubbles), ElementsAre(1, 2, 0));
  EXPECT_THAT(shown_bubbles(device, 1), ElementsAre(1, 0));
  EXPECT_THAT(shown_bubbles(device, 0), IsEmpty());
}

TEST(AnomaliesView, TheLongestBubblesComeFirstAndEqualOnesByStart) {
  AnomaliesFixture made;
  EXPECT_THAT(longest_bubbles(made.device(), 2), ElementsAre(0, 1));
  made.device().bubbles[2].end = at_us(3000);
  EXPECT_THAT(longest_bubbles(made.device(), 9), ElementsAre(2, 0, 1));
}

TEST(AnomaliesView, IdsTakeThePrefixOfTheDevice) {
  AnomaliesFixture made;
  EXPECT_EQ(bubble_id(made.device(), 2), "b2");
  made.device().steps[0].id = "r1.d0.0";
  EXPECT_EQ(bubble_id(made.device(), 2), "r1.d0.b2");
}

TEST(AnomaliesView, KernelsAroundABubbleAreInTimeOrder) {
  AnomaliesFixture made;
  const analysis::anomalies::DeviceAnomalies& device = made.device();
  const KernelsAround around = kernels_around(device, device.bubbles[1], 2);
  EXPECT_THAT(around.before, ElementsAre(3, 4));
  EXPECT_THAT(around.after, ElementsAre(5));
  const KernelsAround first = kernels_around(device, device.bubbles[0], 2);
  EXPECT_THAT(first.before, IsEmpty());
  EXPECT_THAT(first.after, ElementsAre(0, 1));
}

TEST(AnomaliesView, TheLastKernelBeforeABubbleIsTheOneThatEndsLast) {
  AnomaliesFixture made;
  analysis::anomalies::DeviceAnomalies& device = made.device();
  // Kernel 3 runs on beside kernel 4 and ends last.
  device.timeline.kernels[3].end = at_us(1300);
  device.timeline.kernels[4].end = at_us(1290);
  device.bubbles[1].kernel_before = 3;
  EXPECT_THAT(kernels_around(device, device.bubbles[1], 2).before, ElementsAre(4, 3));
}

TEST(AnomaliesView, TypesAreThoseOfTheFile) {
  AnomaliesFixture made;
  made.device().ops.rows[1].type = "AI_VECTOR_CORE";
  EXPECT_EQ(kernel_type(made.device(), 0), "AI_CORE");
  EXPECT_EQ(kernel_type(made.device(), 5), "AI_VECTOR_CORE");
}

TEST(AnomaliesView, DevicesAreToldApart) {
  analysis::anomalies::DeviceTimeline timeline;
  timeline.device_id = "1";
  EXPECT_EQ(device_words(timeline), "device 1");
  timeline.rank_number = 3;
  EXPECT_EQ(device_words(timeline), "rank 3, device 1");
  timeline.is_told_by_rank = false;
  timeline.source = "a.json";
  EXPECT_EQ(device_words(timeline), "rank 3, device 1 in a.json");
}

TEST(AnomaliesView, AFindingOfAHigherPriorityCounts) {
  const AnomaliesFixture made;
  EXPECT_FALSE(has_finding(made.anomalies, analysis::anomalies::Priority::kP0));
  EXPECT_TRUE(has_finding(made.anomalies, analysis::anomalies::Priority::kP1));
  EXPECT_TRUE(has_finding(made.anomalies, analysis::anomalies::Priority::kP3));
}

}  // namespace
}  // namespace lockstep::report::anomalies
