// Claims on words and on what a picture shows.
#include "report/kernel/kernel_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/kernel/kernel_for_test.h"

namespace lockstep::report::kernel {
namespace {

using ::testing::ElementsAre;
using Role = PicturedBlock::Role;

TEST(KernelTime, HasATenthOfANanosecondOnlyWhereCyclesGiveIt) {
  KernelFixture fixture;
  EXPECT_EQ(kernel_time(fixture.report(), Time{12'340}), "12.3 ns");
  EXPECT_EQ(kernel_time(fixture.report(), Time{1'234'500}), "1.234 us");
  fixture.summary.time.source = analysis::kernel_profile::TimeSource::kGlobalTimer;
  EXPECT_EQ(kernel_time(fixture.report(), Time{96'000}), "96 ns");
}

TEST(KernelTime, IsInCyclesWhereNothingTiesThemToTime) {
  KernelFixture fixture;
  fixture.summary.time.source = analysis::kernel_profile::TimeSource::kCycles;
  fixture.summary.time.tick_ns = 1;
  EXPECT_EQ(kernel_time(fixture.report(), Time{12'000}), "12 cycles");
  EXPECT_EQ(kernel_time(fixture.report(), Time{1'400}), "1 cycle");
  EXPECT_EQ(kernel_time(fixture.report(), Time{0}), "0 cycles");
  fixture.profile.clock_ghz = 1;
  EXPECT_EQ(kernel_time(fixture.report(), Time{12'000}), "12.0 ns");
}

TEST(LaneWords, NameTheLaunchOnlyAmongSeveral) {
  KernelFixture fixture;
  EXPECT_EQ(lane_words(fixture.profile, 3), "block 1 group 1");
  fixture.profile.lanes[3].name = "consumer";
  fixture.profile.launches.push_back(fixture.profile.launches.front());
  EXPECT_EQ(lane_words(fixture.profile, 3), "launch 7 block 1 consumer");
}

TEST(ExtentWords, LeaveTrailingOnesOut) {
  EXPECT_EQ(extent_words({4, 1, 1}), "4");
  EXPECT_EQ(extent_words({4, 2, 1}), "4 x 2");
  EXPECT_EQ(extent_words({4, 1, 3}), "4 x 1 x 3");
}

TEST(Dropped, IsNeverNegative) {
  trace::KernelLane lane;
  lane.seen = 3;
  lane.written = 8;
  EXPECT_EQ(dropped_of(lane), 0U);
}

TEST(Picture, ShowsAllBlocksInTheirOrderWhereTheyFit) {
  const KernelFixture fixture;
  const KernelPicture picture = choose_picture(fixture.report(), 4);
  ASSERT_EQ(picture.blocks.size(), 2U);
  EXPECT_EQ(picture.blocks[0].block, 0U);
  EXPECT_EQ(picture.blocks[1].role, Role::kLast);
  EXPECT_THAT(picture.blocks[1].lanes, ElementsAre(2, 3));
  EXPECT_TRUE(picture.has_common_start);
  EXPECT_EQ(picture.length, Time{5'050'000});
  EXPECT_EQ(picture.lanes_left_out, 0U);
}

TEST(Picture, BeginsWithTheBlockThatEndsLastWhereNotAllFit) {
  const KernelFixture fixture;
  const KernelPicture picture = choose_picture(fixture.report(), 3);
  ASSERT_EQ(picture.blocks.size(), 1U);
  EXPECT_EQ(picture.blocks[0].block, 1U);
  EXPECT_EQ(picture.lanes_left_out, 2U);
}

TEST(Picture, TakesTheFirstOfBlocksThatEndTogether) {
  KernelFixture fixture;
  fixture.summary.lanes[1].end = fixture.summary.lanes[3].end;
  const KernelPicture picture = choose_picture(fixture.report(), 4);
  ASSERT_EQ(picture.blocks.size(), 2U);
  EXPECT_EQ(picture.blocks[0].role, Role::kLast);
  EXPECT_NE(picture.blocks[1].role, Role::kLast);
}

TEST(Picture, KeepsTheLaneThatEndsLastOfABlockThatIsCut) {
  const KernelFixture fixture;
  const KernelPicture picture = choose_picture(fixture.report(), 1);
  ASSERT_EQ(picture.blocks.size(), 1U);
  EXPECT_THAT(picture.blocks[0].lanes, ElementsAre(3));
  EXPECT_EQ(picture.lanes_left_out, 3U);
}

TEST(Picture, DrawsBlocksThatRanFarApartFromTheirOwnStart) {
  KernelFixture fixture;
  for (const std::size_t lane : {2U, 3U}) {
    fixture.summary.lanes[lane].start += Time{1'000'000'000};
    fixture.summary.lanes[lane].end += Time{1'000'000'000};
  }
  const KernelPicture picture = choose_picture(fixture.report(), 4);
  EXPECT_FALSE(picture.has_common_start);
  EXPECT_EQ(picture.length, Time{5'050'000});
  EXPECT_EQ(picture.blocks[1].start, Time{1'000'000'000});
}

TEST(Picture, HasNoBlocksWithoutLanes) {
  KernelFixture fixture;
  fixture.summary.lanes.clear();
  EXPECT_TRUE(choose_picture(fixture.report(), 4).blocks.empty());
  fixture.summary.launches.clear();
  EXPECT_TRUE(choose_picture(fixture.report(), 4).blocks.empty());
}

TEST(Picture, IsOfTheLongestLaunch) {
  KernelFixture fixture;
  fixture.profile.launches.push_back(fixture.profile.launches.front());
  fixture.summary.launches.push_back({1, Time{}, Time{90'000'000}, 0, 1});
  fixture.profile.lanes[3].launch = 1;
  const KernelPicture picture = choose_picture(fixture.report(), 4);
  EXPECT_EQ(picture.launch, 1U);
  ASSERT_EQ(picture.blocks.size(), 1U);
  EXPECT_THAT(picture.blocks[0].lanes, ElementsAre(3));
}

TEST(DrawnLane, IsWhatTheSummaryKept) {
  const KernelFixture fixture;
  const DrawnKernelLane drawn = drawn_lane(fixture.report(), 1);
  ASSERT_EQ(drawn.regions.size(), 1U);
  EXPECT_EQ(drawn.regions[0].region.payload, 9U);
  EXPECT_EQ(drawn.instants.size(), 1U);
}

}  // namespace
}  // namespace lockstep::report::kernel
