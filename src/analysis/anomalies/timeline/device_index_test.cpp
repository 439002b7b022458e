// What is found once for all devices, and what is left out of too many.
#include "analysis/anomalies/timeline/device_index.h"

#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/anomalies/anomalies.h"
#include "trace/trace_for_test.h"

namespace lockstep::analysis::anomalies {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Field;

bool lacks(const Anomalies& anomalies, Lack lack) {
  return std::ranges::find(anomalies.evidence_gaps, lack, &EvidenceGap::lack) !=
         anomalies.evidence_gaps.end();
}

// Devices with a kernel each, launched by graphs of one host thread.
class ManyDevices {
 public:
  explicit ManyDevices(std::size_t devices) {
    for (std::size_t i = 0; i < devices; ++i) {
      streams_.push_back(test.add_stream(test.add_device(std::to_string(i)), "7"));
    }
  }
  trace::EventId launch(std::size_t device, std::string_view call, std::int64_t at,
                        std::int64_t length = 10) {
    const trace::EventId from = test.add(test.host, trace::Kind::kRuntimeCall, call, at, 5);
    const trace::EventId to =
        test.add(streams_[device], trace::Kind::kKernel, "kernel", at + 10, length);
    test.trace.flows.push_back({from, to, trace::Flow::Kind::kLaunch, {}});
    return from;
  }
  [[nodiscard]] DeviceTimeline timeline(std::size_t device) const {
    return device_timelines(test.trace).at(device);
  }

  trace::TestTrace test;

 private:
  std::vector<trace::TrackId> streams_;
};

TEST(DeviceIndex, ALaunchIsOfTheDevicesThatItAsked) {
  ManyDevices many(3);
  const trace::EventId first = many.launch(0, "cudaGraphLaunch", 100);
  const trace::EventId second = many.launch(1, "cudaLaunchKernel", 200);
  many.launch(2, "cudaLaunchKernel", 300);
  const trace::EventId nobody =
      many.test.add(many.test.host, trace::Kind::kRuntimeCall, "cudaGraphLaunch", 50, 5);
  const DeviceIndex index(many.test.trace);
  ASSERT_EQ(index.launches(many.timeline(0)).size(), 1U);
  EXPECT_EQ(index.launches(many.timeline(0))[0].call, first);
  EXPECT_TRUE(index.launches(many.timeline(0))[0].is_graph);
  EXPECT_EQ(index.launches(many.timeline(1))[0].call, second);
  EXPECT_FALSE(index.launches(many.timeline(1))[0].is_graph);
  ASSERT_EQ(index.unplaced_launches(trace::RankId{0}).size(), 1U);
  EXPECT_EQ(index.unplaced_launches(trace::RankId{0})[0].call, nobody);
}

TEST(DeviceIndex, LaunchesOfAllDevicesAreNoMoreThanFlows) {
  for (const std::size_t devices : {50, 200}) {
    ManyDevices many(devices);
    for (std::size_t i = 0; i < devices; ++i) {
      many.launch(i, "cudaGraphLaunch", 100 * static_cast<std::int64_t>(i));
    }
    const DeviceIndex index(many.test.trace);
    std::size_t launches = index.unplaced_launches(trace::RankId{0}).size();
    for (const DeviceTimeline& one : device_timelines(many.test.trace)) {
      launches += index.launches(one).size();
    }
    EXPECT_EQ(launches, devices);
  }
}

TEST(Anomalies, StepsWithoutWorkOfManyDevicesAreLeftOutAndTold) {
  constexpr std::size_t kDevices = 20;
  ManyDevices many(kDevices);
  for (std::size_t i = 0; i < kDevices; ++i) {
    many.launch(i, "cudaLaunchKernel", 1'000 * static_cast<std::int64_t>(i) + 10);
    many.test.add_step("ProfilerStep#" + std::to_string(i), 1'000 * static_cast<std::int64_t>(i),
                       1'000 * static_cast<std::int64_t>(i) + 900);
  }
  const auto steps_of = [](const Anomalies& anomalies) {
    std::size_t steps = 0;
    for (const DeviceAnomalies& device : anomalies.devices) steps += device.steps.size();
    return steps;
  };
  const Anomalies all = find_anomalies(many.test.trace);
  EXPECT_EQ(steps_of(all), kDevices * kDevices);
  EXPECT_FALSE(lacks(all, Lack::kEmptySteps));
  AnomaliesOptions few;
  few.most_steps = 100;
  const Anomalies some = find_anomalies(many.test.trace, few);
  EXPECT_EQ(steps_of(some), kDevices);
  EXPECT_TRUE(lacks(some, Lack::kEmptySteps));
}

TEST(Anomalies, OfTooManyDevicesThoseThatWorkedMostAreJudged) {
  ManyDevices many(5);
  for (std::size_t i = 0; i < 5; ++i) {
    many.launch(i, "cudaLaunchKernel", 1'000 * static_cast<std::int64_t>(i),
                i == 1 || i == 3 ? 500 : 10);
  }
  EXPECT_FALSE(lacks(find_anomalies(many.test.trace), Lack::kLeftOutDevices));
  AnomaliesOptions few;
  few.most_devices = 2;
  const Anomalies some = find_anomalies(many.test.trace, few);
  ASSERT_EQ(some.devices.size(), 2U);
  EXPECT_EQ(some.devices[0].timeline.device_id, "1");
  EXPECT_EQ(some.devices[1].timeline.device_id, "3");
  EXPECT_THAT(some.evidence_gaps,
              Contains(AllOf(Field(&EvidenceGap::lack, Lack::kLeftOutDevices),
                             Field(&EvidenceGap::count, 2U), Field(&EvidenceGap::of, 5U))));
}

TEST(Anomalies, CallsThatNestTooDeepToBeAskedAreTold) {
  for (const std::int64_t depth : {4'096, 4'097}) {
    ManyDevices many(1);
    many.launch(0, "cudaLaunchKernel", 100'000);
    for (std::int64_t i = 1; i < depth; ++i) {
      many.test.add(many.test.host, trace::Kind::kHostOp, "op", 100'000 - i, 5 + 2 * i);
    }
    const Anomalies anomalies = find_anomalies(many.test.trace);
    EXPECT_EQ(lacks(anomalies, Lack::kDeepCalls), depth > 4'096);
  }
}

}  // namespace
}  // namespace lockstep::analysis::anomalies
