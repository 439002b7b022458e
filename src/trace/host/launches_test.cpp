// Calls and operators behind device work.
#include "trace/host/launches.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::trace {
namespace {

// Events on a thread of the host and on a stream, and arrows between them.
class LaunchesTest : public testing::Test {
 protected:
  LaunchesTest() : stream_(made_.add_stream(made_.add_device("0"), "7")) {}
  EventId on_host() { return made_.add(made_.host, Kind::kRuntimeCall, "call", 0, 0); }
  EventId on_device() { return made_.add(stream_, Kind::kKernel, "kernel", 0, 0); }

  TestTrace made_;
  Trace& trace_ = made_.trace;
  TrackId stream_;
};

TEST_F(LaunchesTest, NobodyIsKnownWithoutArrows) {
  const EventId kernel = on_device();
  const Launches launches = find_launches(trace_);
  EXPECT_EQ(launches.call_of(kernel), kNoEvent);
  EXPECT_EQ(launches.operator_of(kernel), kNoEvent);
}

TEST_F(LaunchesTest, TheFirstLaunchCounts) {
  const EventId call = on_host();
  const EventId other = on_host();
  const EventId kernel = on_device();
  trace_.flows.push_back({call, kernel, Flow::Kind::kLaunch, {}});
  trace_.flows.push_back({other, kernel, Flow::Kind::kLaunch, {}});
  EXPECT_EQ(find_launches(trace_).call_of(kernel), call);
}

TEST_F(LaunchesTest, OtherArrowsNameTheOperatorOnlyFromHostToDevice) {
  const EventId op = on_host();
  const EventId backward = on_host();
  const EventId kernel = on_device();
  const EventId next = on_device();
  trace_.flows.push_back({op, backward, Flow::Kind::kOther, {}});
  trace_.flows.push_back({kernel, next, Flow::Kind::kOther, {}});
  trace_.flows.push_back({op, kernel, Flow::Kind::kOther, {}});
  const Launches launches = find_launches(trace_);
  EXPECT_EQ(launches.operator_of(kernel), op);
  EXPECT_EQ(launches.operator_of(next), kNoEvent);
  EXPECT_EQ(launches.operator_of(backward), kNoEvent);
  EXPECT_EQ(launches.call_of(kernel), kNoEvent);
}

TEST_F(LaunchesTest, ArrowsWithoutAnEndAreNone) {
  const EventId kernel = on_device();
  trace_.flows.push_back({kNoEvent, kernel, Flow::Kind::kLaunch, {}});
  trace_.flows.push_back({kernel, kNoEvent, Flow::Kind::kLaunch, {}});
  EXPECT_EQ(find_launches(trace_).call_of(kernel), kNoEvent);
}

}  // namespace
}  // namespace lockstep::trace
