// Parts add up to the windows, and are what a look at every single picosecond finds.
#include "analysis/breakdown/breakdown.h"

#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::breakdown {
namespace {

PartSpan span(std::int64_t start, std::int64_t end, Part part) {
  return {Time{start}, Time{end}, part};
}
Window window(std::int64_t start, std::int64_t end) { return {Time{start}, Time{end}}; }

Breakdown over(std::vector<PartSpan> spans, std::vector<Window> windows) {
  return Occupancy(std::move(spans)).over(windows);
}

// Every picosecond is asked for itself.
Breakdown slow_breakdown(const std::vector<PartSpan>& spans, const std::vector<Window>& windows) {
  Breakdown sums;
  sums.windows = windows.size();
  for (const Window& one : windows) {
    for (std::int64_t t = one.start.ps; t < one.end.ps; ++t) {
      ++sums.wall;
      std::set<Part> running;
      for (const PartSpan& other : spans) {
        if (other.start.ps <= t && t < other.end.ps) running.insert(other.part);
      }
      if (running.empty()) running.insert(Part::kIdle);
      ++sums.parts[index_of(*running.begin())].elapsed;
      for (const Part part : running) ++sums.parts[index_of(part)].running;
    }
  }
  return sums;
}

TEST(Breakdown, NothingRunningIsIdle) {
  const Breakdown sums = over({}, {window(5, 25)});
  EXPECT_EQ(sums.wall, 20);
  EXPECT_EQ(sums.idle(), 20);
  EXPECT_EQ(sums.busy(), 0);
}

TEST(Breakdown, NoWindowTakesNoTime) {
  const Breakdown sums = over({span(0, 10, Part::kGemm)}, {});
  EXPECT_EQ(sums.windows, 0U);
  EXPECT_EQ(sums.wall, 0);
  EXPECT_EQ(mean_ns(sums)[index_of(Part::kGemm)], 0);
}

TEST(Breakdown, SpansAreCutAtTheWindow) {
  const Breakdown sums =
      over({span(0, 10, Part::kGemm), span(18, 30, Part::kNorm)}, {window(5, 20)});
  EXPECT_EQ(sums[Part::kGemm].elapsed, 5);
  EXPECT_EQ(sums[Part::kNorm].elapsed, 2);
  EXPECT_EQ(sums.idle(), 8);
}

TEST(Breakdown, CommunicationUnderComputingIsHidden) {
  const Breakdown sums =
      over({span(0, 10, Part::kGemm), span(4, 16, Part::kCommunication)}, {window(0, 20)});
  EXPECT_EQ(sums[Part::kGemm].elapsed, 10);
  EXPECT_EQ(sums[Part::kGemm].hidden(), 0);
  EXPECT_EQ(sums[Part::kCommunication].elapsed, 6);
  EXPECT_EQ(sums[Part::kCommunication].hidden(), 6);
  EXPECT_EQ(sums.idle(), 4);
}

TEST(Breakdown, CopiesComeAfterCommunication) {
  const Breakdown sums =
      over({span(0, 10, Part::kMemcpy), span(0, 4, Part::kCommunication)}, {window(0, 10)});
  EXPECT_EQ(sums[Part::kCommunication].elapsed, 4);
  EXPECT_EQ(sums[Part::kMemcpy].elapsed, 6);
  EXPECT_EQ(sums[Part::kMemcpy].running, 10);
}

TEST(Breakdown, OverlapOfOnePartWithItselfCountsOnce) {
  const Breakdown sums =
      over({span(0, 10, Part::kGemm), span(5, 12, Part::kGemm)}, {window(0, 12)});
  EXPECT_EQ(sums[Part::kGemm].elapsed, 12);
  EXPECT_EQ(sums[Part::kGemm].running, 12);
}

TEST(Breakdown, MeansAddUpToTheFlooredWall) {
  // Three windows of 10 ns in all, a third of it in each of three parts.
  const Breakdown sums = over({span(0, 3334, Part::kGemm), span(3334, 6667, Part::kNorm)},
                              {window(0, 3000), window(3000, 6000), window(6000, 10000)});
  const auto means = mean_ns(sums);
  std::int64_t all = 0;
  for (const std::int64_t ns : means) all += ns;
  EXPECT_EQ(all, 3);
  EXPECT_EQ(means[index_of(Part::kGemm)], 1);
  EXPECT_EQ(means[index_of(Part::kIdle)], 1);
}

TEST(Breakdown, IdleStretchesAreCutAtWindows) {
  const Occupancy occupancy({span(0, 10, Part::kGemm), span(14, 20, Part::kGemm)});
  const std::vector<Window> windows = {window(0, 12), window(12, 25)};
  EXPECT_EQ(occupancy.idle_stretches(windows), (std::vector<Time>{Time{2}, Time{2}, Time{5}}));
}

TEST(Breakdown, EveryRoleHasAPart) {
  for (std::size_t i = 0; i < kernels::kKernelRoleCount; ++i) {
    const auto role = static_cast<kernels::KernelRole>(i);
    EXPECT_EQ(name_of(part_of(role)), kernels::name_of(role));
  }
  EXPECT_EQ(name_of(Part::kMemcpy), "memcpy");
  EXPECT_EQ(name_of(Part::kIdle), "idle");
}

TEST(Breakdown, WindowsMayBeAddedUpLater) {
  const std::vector<PartSpan> spans = {span(0, 10, Part::kGemm), span(5, 12, Part::kMemcpy)};
  Breakdown sums = over(spans, {window(0, 7)});
  sums.add(over(spans, {window(7, 20)}));
  EXPECT_EQ(sums, over(spans, {window(0, 7), window(7, 20)}));
}

RC_GTEST_PROP(Breakdown, IsWhatEveryPicosecondSays, ()) {
  const auto time = rc::gen::inRange<std::int64_t>(-20, 60);
  std::vector<PartSpan> spans;
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) {
    // Ends before starts are empty.
    spans.push_back(span(*time, *time, static_cast<Part>(*rc::gen::inRange(0, 16))));
  }
  std::vector<Window> windows;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i) windows.push_back(window(*time, *time));
  const Occupancy occupancy(spans);
  const Breakdown sums = occupancy.over(windows);
  RC_ASSERT(sums == slow_breakdown(spans, windows));
  WideTime all = 0;
  for (const PartTime& part : sums.parts) all += part.elapsed;
  RC_ASSERT(all == sums.wall);
  WideTime idle = 0;
  for (const Time stretch : occupancy.idle_stretches(windows)) idle += stretch.ps;
  RC_ASSERT(idle == sums.idle());
}

Breakdown over(const trace::TestTrace& made, trace::DeviceId device, Window one) {
  const DeviceOccupancy devices(made.trace);
  return devices.of(trace::RankId{0}, device).over(std::vector<Window>{one});
}

TEST(DeviceOccupancy, StreamsOfADeviceAreLookedAtTogether) {
  trace::TestTrace made;
  const trace::DeviceId device = made.add_device("0");
  const trace::TrackId computing = made.add_stream(device, "7");
  const trace::TrackId talking = made.add_stream(device, "13");
  const trace::TrackId elsewhere = made.add_stream(made.add_device("1"), "7");
  constexpr std::string_view kGemm = "ampere_sgemm_128x64_nn";
  made.add_ps(computing, trace::Kind::kKernel, kGemm, 0, 10);
  made.add_ps(talking, trace::Kind::kCommunication, kGemm, 5, 10);
  made.add_ps(talking, trace::Kind::kMemcpy, "Memcpy HtoD", 14, 4);
  made.add_ps(elsewhere, trace::Kind::kKernel, kGemm, 0, 20);
  const Breakdown sums = over(made, device, window(0, 20));
  EXPECT_EQ(sums[Part::kGemm].elapsed, 10);
  EXPECT_EQ(sums[Part::kCommunication].elapsed, 5);  // the record says so, whatever the name is
  EXPECT_EQ(sums[Part::kMemcpy].elapsed, 3);
  EXPECT_EQ(sums.idle(), 2);
}

TEST(DeviceOccupancy, WaitsDuplicatesAndHostWorkKeepNoDeviceBusy) {
  trace::TestTrace made;
  const trace::DeviceId device = made.add_device("0");
  const trace::TrackId stream = made.add_stream(device, "7");
  made.add_ps(stream, trace::Kind::kEventWait, "wait", 0, 10);
  made.add_ps(stream, trace::Kind::kDuplicate, "again", 0, 10);
  made.add_ps(made.host, trace::Kind::kKernel, "host", 0, 10);
  EXPECT_EQ(over(made, device, window(0, 10)).idle(), 10);
}

TEST(DeviceOccupancy, AnUnknownDeviceIsIdle) {
  const trace::TestTrace made;
  EXPECT_EQ(over(made, trace::DeviceId{7}, window(0, 10)).idle(), 10);
}

}  // namespace
}  // namespace lockstep::analysis::breakdown
