// Claims on false hotspots: each condition holds one back.
#include "analysis/anomalies/timeline/wait_anchors.h"

#include <numeric>

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

OpRow row(std::string text, std::uint64_t count, std::int64_t duration_us, std::int64_t wait_us) {
  OpRow made;
  made.text = std::move(text);
  made.count = count;
  made.duration = us(duration_us).ps;
  made.to_device = us(wait_us).ps;
  return made;
}

std::vector<std::uint32_t> anchors_of(const std::vector<OpRow>& rows) {
  std::vector<std::uint32_t> all(rows.size());
  std::iota(all.begin(), all.end(), 0U);
  return find_wait_anchors(rows, all, Thresholds{});
}

using Rows = std::vector<std::uint32_t>;

TEST(WaitAnchors, ShortKernelAfterALongWaitIsOne) {
  EXPECT_EQ(anchors_of({row("a", 1, 2, 1000)}), (Rows{0}));
}

TEST(WaitAnchors, RatioMustExceedTheLimit) {
  EXPECT_EQ(anchors_of({row("a", 1, 5, 95)}), Rows{});
  EXPECT_EQ(anchors_of({row("a", 1, 5, 96)}), (Rows{0}));
}

TEST(WaitAnchors, MeanDurationMustBeBelowTheLimit) {
  EXPECT_EQ(anchors_of({row("a", 2, 20, 2000)}), Rows{});
  EXPECT_EQ(anchors_of({row("a", 2, 19, 2000)}), (Rows{0}));
}

TEST(WaitAnchors, RankIsByMeanCostNotByTotal) {
  std::vector<OpRow> rows;
  for (int i = 0; i < 10; ++i) rows.push_back(row("long " + std::to_string(i), 100, 5000, 0));
  rows.push_back(row("rare", 1, 1, 48));
  EXPECT_EQ(anchors_of(rows), Rows{});
  rows.back() = row("rare", 1, 1, 50);
  EXPECT_EQ(anchors_of(rows), (Rows{10}));
}

TEST(WaitAnchors, RowsOfOneMeanShareTheirRank) {
  std::vector<OpRow> rows;
  for (int i = 0; i < 12; ++i) rows.push_back(row("same " + std::to_string(i + 10), 1, 1, 99));
  EXPECT_EQ(anchors_of(rows).size(), 12U);
}

TEST(WaitAnchors, AreOrderedByMeanCostThenName) {
  EXPECT_EQ(anchors_of({row("b", 1, 1, 100), row("a", 1, 1, 100), row("c", 2, 2, 400)}),
            (Rows{2, 1, 0}));
}

TEST(WaitAnchors, CollectivesTakeRanksOnlyInTheListOverAllRows) {
  TestDevice device;
  std::int64_t at = 0;
  for (int i = 0; i < 10; ++i) {
    device.add_to(device.other, "hcom_" + std::to_string(i), at, 500, trace::Kind::kCommunication);
    at += 500;
  }
  device.add("fill", at + 100, 2);
  const OpTable table = device.table();
  EXPECT_TRUE(table.wait_anchors.empty());
  ASSERT_EQ(table.compute_wait_anchors.size(), 1U);
  const OpRow& fill = table.rows[table.compute_wait_anchors[0]];
  EXPECT_EQ(fill.text, "fill");
  EXPECT_FALSE(fill.is_wait_anchor);
}

TEST(WaitAnchors, WaitsInGapsThatAreNoneAreTold) {
  TestDevice device;
  device.add("a", 0, 10);
  device.add("b", 110, 10);
  device.add("a", 220, 10);
  const DeviceTimeline timeline = device.timeline();
  const OpTable table = with_artefact_waits(device.table(), timeline, kernel_gaps(timeline),
                                            {{us(10).ps, us(60).ps}, {us(50).ps, us(80).ps}});
  const OpRow& waiting = table.rows[table.row_of[1]];
  EXPECT_EQ(waiting.artefact_wait, us(70).ps);
  EXPECT_TRUE(waiting.waits_in_artefact());
  EXPECT_FALSE(table.rows[table.row_of[2]].waits_in_artefact());
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
