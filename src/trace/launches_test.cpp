// Calls and operators behind device work.
#include "trace/launches.h"

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

class LaunchesTest : public testing::Test {
 protected:
  LaunchesTest() {
    trace_.ranks.emplace_back();
    trace_.processes.emplace_back();
    trace_.tracks.resize(2);
    trace_.tracks[1].side = Track::Side::kDevice;
  }
  EventId add(std::uint32_t track) {
    Event event;
    event.track = TrackId{track};
    return trace_.events.add(event);
  }
  Trace trace_;
};

TEST_F(LaunchesTest, NobodyIsKnownWithoutArrows) {
  const EventId kernel = add(1);
  const Launches launches = find_launches(trace_);
  EXPECT_EQ(launches.call_of(kernel), kNoEvent);
  EXPECT_EQ(launches.operator_of(kernel), kNoEvent);
}

TEST_F(LaunchesTest, TheFirstLaunchCounts) {
  const EventId call = add(0);
  const EventId other = add(0);
  const EventId kernel = add(1);
  trace_.flows.push_back({call, kernel, Flow::Kind::kLaunch, {}});
  trace_.flows.push_back({other, kernel, Flow::Kind::kLaunch, {}});
  EXPECT_EQ(find_launches(trace_).call_of(kernel), call);
}

TEST_F(LaunchesTest, OtherArrowsNameTheOperatorOnlyFromHostToDevice) {
  const EventId op = add(0);
  const EventId backward = add(0);
  const EventId kernel = add(1);
  const EventId next = add(1);
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
  const EventId kernel = add(1);
  trace_.flows.push_back({kNoEvent, kernel, Flow::Kind::kLaunch, {}});
  trace_.flows.push_back({kernel, kNoEvent, Flow::Kind::kLaunch, {}});
  EXPECT_EQ(find_launches(trace_).call_of(kernel), kNoEvent);
}

}  // namespace
}  // namespace lockstep::trace
