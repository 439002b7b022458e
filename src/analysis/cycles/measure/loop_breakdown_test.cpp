// Breakdowns are over the windows of the loops, and add up to their walls.
#include "analysis/cycles/measure/loop_breakdown.h"

#include <gtest/gtest.h>

#include "analysis/cycles/measure/measure.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::int64_t kNs = kPicosecondsPerNanosecond;

// Three iterations of a GEMM and attention, each 100 ns of 1,000.
WorkStream three_iterations() {
  WorkStream work;
  work.kernels({kTestGemm, kTestAttention}, 3);
  work.loop(kNoLoop, {0}, 2, 3);
  work.cycles.loops = measure_loops(work.cycles.stream, work.cycles.nest, work.made.trace.strings);
  PhaseSpan span;
  span.end = 6;
  work.cycles.phases.push_back(span);
  return work;
}

void break_down(WorkStream& work) {
  const breakdown::DeviceOccupancy devices(work.made.trace);
  break_down(devices.of(work.cycles.stream.rank, work.device), work.cycles);
}

TEST(BreakDown, IterationsOfALoopAddUpToTheirWalls) {
  WorkStream work = three_iterations();
  break_down(work);
  const breakdown::Breakdown& sums = work.cycles.loops[0].breakdown;
  EXPECT_EQ(sums.windows, 3U);
  EXPECT_EQ(sums.wall, 5100 * kNs);  // the last one ends with its last kernel
  EXPECT_EQ(sums[breakdown::Part::kGemm].elapsed, 300 * kNs);
  EXPECT_EQ(sums[breakdown::Part::kAttention].elapsed, 300 * kNs);
  EXPECT_EQ(sums.idle(), 4500 * kNs);
}

TEST(BreakDown, OtherStreamsOfTheDeviceCount) {
  WorkStream work = three_iterations();
  const trace::TrackId other = work.made.add_stream(work.device, "13");
  work.made.add(other, trace::Kind::kCommunication, "all_reduce", WorkStream::kLag + 50, 150);
  break_down(work);
  const breakdown::Breakdown& sums = work.cycles.loops[0].breakdown;
  EXPECT_EQ(sums[breakdown::Part::kCommunication].elapsed, 100 * kNs);
  EXPECT_EQ(sums[breakdown::Part::kCommunication].hidden(), 50 * kNs);
  EXPECT_EQ(sums.idle(), 4400 * kNs);
}

TEST(BreakDown, APhaseIsOneWindow) {
  WorkStream work = three_iterations();
  break_down(work);
  EXPECT_EQ(work.cycles.phases[0].breakdown.windows, 1U);
  EXPECT_EQ(work.cycles.phases[0].breakdown.wall, 5100 * kNs);
}

TEST(BreakDown, PassesOfAClassLastUntilTheNextOfThemBegins) {
  WorkStream work = three_iterations();
  work.cycles.families = {{1, {{PhaseName::kUnknown, {}, {{0, 2}, {2, 4}}}}}};
  break_down(work);
  const breakdown::Breakdown& sums = work.cycles.families[0].classes[0].breakdown;
  EXPECT_EQ(sums.windows, 2U);
  EXPECT_EQ(sums.wall, 3100 * kNs);  // the second one ends with its last kernel
  EXPECT_EQ(sums[breakdown::Part::kGemm].elapsed, 200 * kNs);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
