// Claims on gaps before kernels, and comparison with a search over all earlier kernels.
#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/anomalies/timeline/timeline_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

TEST(KernelGaps, FirstKernelHasNotWaited) {
  TestDevice device;
  device.add("a", 100, 10);
  EXPECT_EQ(kernel_gaps(device.timeline()).at(0).to_device, us(0));
}

TEST(KernelGaps, ThreeGapsDifferWhereStreamsOverlap) {
  TestDevice device;
  device.add("compute", 0, 10);
  device.add_to(device.other, "all_reduce", 5, 25, trace::Kind::kCommunication);
  device.add("next", 40, 5);
  const KernelGaps gaps = kernel_gaps(device.timeline()).at(2);
  EXPECT_EQ(gaps.to_device, us(10));
  EXPECT_EQ(gaps.to_stream, us(30));
  EXPECT_EQ(gaps.to_compute, us(30));
}

TEST(KernelGaps, GapIsToTheLatestEndNotToTheRowBefore) {
  TestDevice device;
  device.add("long", 0, 100);
  device.add_to(device.other, "short", 10, 10);
  device.add_to(device.other, "after", 60, 10);
  const KernelGaps gaps = kernel_gaps(device.timeline()).at(2);
  EXPECT_EQ(gaps.to_device, us(0));
  EXPECT_EQ(gaps.to_stream, us(40));
}

TEST(KernelGaps, FirstKernelOfAStreamHasWaitedForTheDeviceOnly) {
  TestDevice device;
  device.add("a", 0, 10);
  device.add_to(device.other, "b", 30, 10);
  const KernelGaps gaps = kernel_gaps(device.timeline()).at(1);
  EXPECT_EQ(gaps.to_device, us(20));
  EXPECT_EQ(gaps.to_stream, us(0));
}

TEST(KernelGaps, TimesBeforeTheOriginAreTimesToo) {
  TestDevice device;
  device.add("a", -100, 10);
  device.add("b", -50, 10);
  EXPECT_EQ(kernel_gaps(device.timeline()).at(1).to_device, us(40));
}

// The gap before kernel i to the latest end of those before it that `counts`; all of them looked
// at.
template <typename Counts>
Time slow_gap(const DeviceTimeline& timeline, std::size_t i, Counts counts) {
  const Time start = timeline.kernels[i].start;
  std::optional<Time> gap;
  for (std::size_t j = 0; j < i; ++j) {
    if (!counts(timeline.kernels[j])) continue;
    const Time one = std::max(Time{}, start - timeline.kernels[j].end);
    gap = std::min(gap.value_or(one), one);
  }
  return gap.value_or(Time{});
}

DeviceTimeline any_timeline() {
  const auto kernels = *rc::gen::container<std::vector<DeviceWork>>(rc::gen::apply(
      [](std::int64_t start, std::int64_t length, std::uint32_t track, trace::Kind kind) {
        return DeviceWork{Time{start},
                          Time{start + length},
                          trace::kNoEvent,
                          trace::kNoEvent,
                          trace::TrackId{track},
                          StringId{},
                          kind};
      },
      rc::gen::inRange<std::int64_t>(-200, 200), rc::gen::inRange<std::int64_t>(0, 40),
      rc::gen::inRange<std::uint32_t>(0, 3),
      rc::gen::element(trace::Kind::kKernel, trace::Kind::kCommunication, trace::Kind::kAiCpu)));
  DeviceTimeline timeline;
  timeline.kernels = kernels;
  std::ranges::stable_sort(timeline.kernels, {},
                           [](const DeviceWork& work) { return std::pair(work.start, work.end); });
  return timeline;
}

RC_GTEST_PROP(KernelGaps, EqualASearchOverAllEarlierKernels, ()) {
  const DeviceTimeline timeline = any_timeline();
  const std::vector<KernelGaps> gaps = kernel_gaps(timeline);
  RC_ASSERT(gaps.size() == timeline.kernels.size());
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const trace::TrackId track = timeline.kernels[i].track;
    RC_ASSERT(gaps[i].to_device == slow_gap(timeline, i, [](const DeviceWork&) { return true; }));
    RC_ASSERT(gaps[i].to_stream == slow_gap(timeline, i, [&](const DeviceWork& earlier) {
                return earlier.track == track;
              }));
    RC_ASSERT(gaps[i].to_compute == slow_gap(timeline, i, [](const DeviceWork& earlier) {
                return earlier.kind != trace::Kind::kCommunication;
              }));
  }
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
