// Streams merged, coverings, copies apart.
#include "analysis/anomalies/timeline/device_timeline.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

algo::Interval ns(std::int64_t begin, std::int64_t end) {
  return {begin * kPicosecondsPerNanosecond, end * kPicosecondsPerNanosecond};
}

TEST(DeviceTimeline, StreamsOfADeviceAreMergedInOrderOfStart) {
  trace::TestTrace test;
  const trace::DeviceId device = test.add_device("0");
  const trace::TrackId one = test.add_stream(device, "7");
  const trace::TrackId two = test.add_stream(device, "8");
  test.add(one, trace::Kind::kKernel, "c", 30, 10);
  test.add(two, trace::Kind::kKernel, "b", 20, 15);
  test.add(one, trace::Kind::kKernel, "a", 10, 5);
  const std::vector<DeviceTimeline> timelines = device_timelines(test.trace);
  ASSERT_EQ(timelines.size(), 1U);
  std::string order;
  for (const DeviceWork& work : timelines[0].kernels) order += test.trace.text(work.name);
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(timelines[0].busy, (std::vector{ns(10, 15), ns(20, 40)}));
}

TEST(DeviceTimeline, ManyStreamsAreInOrderToo) {
  trace::TestTrace test;
  const trace::DeviceId device = test.add_device("0");
  for (int s = 0; s < 9; ++s) {
    const trace::TrackId stream = test.add_stream(device, std::to_string(s));
    test.add(stream, trace::Kind::kKernel, "late", 200 - s, 1);
    test.add(stream, trace::Kind::kKernel, "early", 100 - s, 1);
  }
  const std::vector<DeviceTimeline> timelines = device_timelines(test.trace);
  EXPECT_TRUE(std::ranges::is_sorted(timelines[0].kernels, {}, &DeviceWork::start));
  EXPECT_EQ(timelines[0].kernels.size(), 18U);
}

TEST(DeviceTimeline, CopiesKeepNothingBusyButAnyBusy) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, trace::Kind::kKernel, "k", 0, 10);
  test.add(stream, trace::Kind::kMemcpy, "copy", 20, 10);
  test.add(stream, trace::Kind::kDuplicate, "again", 50, 10);
  test.add(stream, trace::Kind::kEventWait, "wait", 70, 10);
  const DeviceTimeline timeline = device_timelines(test.trace).front();
  EXPECT_EQ(timeline.busy, (std::vector{ns(0, 10)}));
  EXPECT_EQ(timeline.any_busy, (std::vector{ns(0, 10), ns(20, 30)}));
  EXPECT_EQ(timeline.copies.size(), 1U);
}

TEST(DeviceTimeline, CommunicationIsBusyAndNoComputing) {
  trace::TestTrace test;
  const trace::DeviceId device = test.add_device("0");
  test.add(test.add_stream(device, "7"), trace::Kind::kKernel, "k", 0, 10);
  test.add(test.add_stream(device, "8"), trace::Kind::kCommunication, "all_reduce", 5, 10);
  test.add(test.add_stream(device, "9"), trace::Kind::kAiCpu, "cast", 20, 10);
  const DeviceTimeline timeline = device_timelines(test.trace).front();
  EXPECT_EQ(timeline.busy, (std::vector{ns(0, 15), ns(20, 30)}));
  EXPECT_EQ(timeline.computing, (std::vector{ns(0, 10), ns(20, 30)}));
  EXPECT_EQ(timeline.communicating, (std::vector{ns(5, 15)}));
}

TEST(DeviceTimeline, TouchingKernelsAreOnePiece) {
  trace::TestTrace test;
  const trace::TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, trace::Kind::kKernel, "k", 0, 10);
  test.add(stream, trace::Kind::kKernel, "k", 10, 10);
  test.add(stream, trace::Kind::kKernel, "empty", 30, 0);
  EXPECT_EQ(device_timelines(test.trace).front().busy, (std::vector{ns(0, 20)}));
}

TEST(DeviceTimeline, DevicesAreApartAndKnowTheirLaunches) {
  trace::TestTrace test;
  const trace::TrackId first = test.add_stream(test.add_device("0"), "7");
  const trace::TrackId second = test.add_stream(test.add_device("1"), "7");
  test.launch(first, "a", 0, 10, 5, 1);
  test.add(second, trace::Kind::kKernel, "b", 0, 5);
  const std::vector<DeviceTimeline> timelines = device_timelines(test.trace);
  ASSERT_EQ(timelines.size(), 2U);
  EXPECT_EQ(timelines[0].device_id, "0");
  EXPECT_NE(timelines[0].kernels[0].launched_by, trace::kNoEvent);
  EXPECT_EQ(timelines[1].kernels[0].launched_by, trace::kNoEvent);
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
