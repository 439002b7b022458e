// Which waits are laid to the kernels behind them.
#include "analysis/anomalies/evidence/waits_apart.h"

#include <gtest/gtest.h>

#include "analysis/anomalies/timeline/kernel_gaps.h"
#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

Bubble gap_between(std::int64_t start_us, std::int64_t end_us) {
  Bubble bubble;
  bubble.start = us(start_us);
  bubble.end = us(end_us);
  return bubble;
}

// Small kernels behind an ordinary gap, a heavy one, an artefact and one at the edge.
TEST(WaitsApart, OnlyOrdinaryGapsAreLaunchGaps) {
  TestDevice device;
  device.add("first", 0, 5);
  device.add("ordinary", 105, 5);
  device.add("heavy", 2110, 5);
  device.add("artefact", 2315, 5);
  device.add("edge", 2350, 5);
  std::vector<Bubble> bubbles = {gap_between(5, 105), gap_between(110, 2110),
                                 gap_between(2115, 2315), gap_between(2320, 2350)};
  bubbles[2].is_unrecorded = true;
  bubbles[3].touches_edge = true;
  std::vector<StepFrame> steps(1);
  steps[0].end = us(2355);
  const DeviceTimeline timeline = device.timeline();
  const OpTable table = set_waits_apart(device.table(), timeline, kernel_gaps(timeline), bubbles,
                                        steps, Thresholds());
  EXPECT_EQ(table.small.gaps, us(100).ps);
  EXPECT_EQ(table.small.apart, us(2000 + 200 + 30).ps);
  EXPECT_EQ(table.rows[table.row_of[2]].artefact_wait, 0);
  EXPECT_EQ(table.rows[table.row_of[3]].artefact_wait, us(200).ps);
  EXPECT_EQ(table.rows[table.row_of[4]].artefact_wait, 0);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
