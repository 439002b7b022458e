// Streams merged, coverings, copies apart.
#include "analysis/anomalies/timeline/device_timeline.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "analysis/summary/test_trace.h"

namespace lockstep {
namespace {

Interval ns(std::int64_t begin, std::int64_t end) {
  return {begin * kPicosecondsPerNanosecond, end * kPicosecondsPerNanosecond};
}

TEST(DeviceTimeline, StreamsOfADeviceAreMergedInOrderOfStart) {
  TestTrace test;
  const DeviceId device = test.add_device("0");
  const TrackId one = test.add_stream(device, "7");
  const TrackId two = test.add_stream(device, "8");
  test.add(one, Kind::kKernel, "c", 30, 10);
  test.add(two, Kind::kKernel, "b", 20, 15);
  test.add(one, Kind::kKernel, "a", 10, 5);
  const std::vector<DeviceTimeline> timelines = device_timelines(test.trace);
  ASSERT_EQ(timelines.size(), 1U);
  std::string order;
  for (const DeviceWork& work : timelines[0].kernels) order += test.trace.text(work.name);
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(timelines[0].busy, (std::vector{ns(10, 15), ns(20, 40)}));
}

TEST(DeviceTimeline, ManyStreamsAreInOrderToo) {
  TestTrace test;
  const DeviceId device = test.add_device("0");
  for (int s = 0; s < 9; ++s) {
    const TrackId stream = test.add_stream(device, std::to_string(s));
    test.add(stream, Kind::kKernel, "late", 200 - s, 1);
    test.add(stream, Kind::kKernel, "early", 100 - s, 1);
  }
  const std::vector<DeviceTimeline> timelines = device_timelines(test.trace);
  EXPECT_TRUE(std::ranges::is_sorted(timelines[0].kernels, {}, &DeviceWork::start));
  EXPECT_EQ(timelines[0].kernels.size(), 18U);
}

TEST(DeviceTimeline, CopiesKeepNothingBusyButAnyBusy) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, Kind::kKernel, "k", 0, 10);
  test.add(stream, Kind::kMemcpy, "copy", 20, 10);
  test.add(stream, Kind::kDuplicate, "again", 50, 10);
  test.add(stream, Kind::kEventWait, "wait", 70, 10);
  const DeviceTimeline timeline = device_timelines(test.trace).front();
  EXPECT_EQ(timeline.busy, (std::vector{ns(0, 10)}));
  EXPECT_EQ(timeline.any_busy, (std::vector{ns(0, 10), ns(20, 30)}));
  EXPECT_EQ(timeline.copies.size(), 1U);
}

TEST(DeviceTimeline, CommunicationIsBusyAndNoComputing) {
  TestTrace test;
  const DeviceId device = test.add_device("0");
  test.add(test.add_stream(device, "7"), Kind::kKernel, "k", 0, 10);
  test.add(test.add_stream(device, "8"), Kind::kCommunication, "all_reduce", 5, 10);
  test.add(test.add_stream(device, "9"), Kind::kAiCpu, "cast", 20, 10);
  const DeviceTimeline timeline = device_timelines(test.trace).front();
  EXPECT_EQ(timeline.busy, (std::vector{ns(0, 15), ns(20, 30)}));
  EXPECT_EQ(timeline.computing, (std::vector{ns(0, 10), ns(20, 30)}));
  EXPECT_EQ(timeline.communicating, (std::vector{ns(5, 15)}));
}

TEST(DeviceTimeline, TouchingKernelsAreOnePiece) {
  TestTrace test;
  const TrackId stream = test.add_stream(test.add_device("0"), "7");
  test.add(stream, Kind::kKernel, "k", 0, 10);
  test.add(stream, Kind::kKernel, "k", 10, 10);
  test.add(stream, Kind::kKernel, "empty", 30, 0);
  EXPECT_EQ(device_timelines(test.trace).front().busy, (std::vector{ns(0, 20)}));
}

TEST(DeviceTimeline, DevicesAreApartAndKnowTheirLaunches) {
  TestTrace test;
  const TrackId first = test.add_stream(test.add_device("0"), "7");
  const TrackId second = test.add_stream(test.add_device("1"), "7");
  test.launch(first, "a", 0, 10, 5, 1);
  test.add(second, Kind::kKernel, "b", 0, 5);
  const std::vector<DeviceTimeline> timelines = device_timelines(test.trace);
  ASSERT_EQ(timelines.size(), 2U);
  EXPECT_EQ(timelines[0].device_id, "0");
  EXPECT_NE(timelines[0].kernels[0].launched_by, kNoEvent);
  EXPECT_EQ(timelines[1].kernels[0].launched_by, kNoEvent);
}

}  // namespace
}  // namespace lockstep
