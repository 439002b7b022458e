// Claims on joining by correlation and on binding of flow events.
#include "trace/flow_binder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Role = FlowEnd::Role;

constexpr TrackId kHost{0};
constexpr TrackId kOtherHost{1};
constexpr TrackId kStream{2};

// Events are known by one-letter names; flows are shown as "a->b launch".
class FlowScene {
 public:
  FlowScene() {
    trace.processes.resize(2);
    trace.tracks.resize(3);
    trace.tracks[index_of(kStream)].side = Track::Side::kDevice;
  }

  void event(std::string_view name, TrackId track, std::int64_t start, std::int64_t end,
             std::int64_t correlation = kNoCorrelation, Shape shape = Shape::kSpan) {
    Event event;
    event.name = trace.strings.intern(name);
    event.track = track;
    event.start = Time{start};
    event.duration = Time{end - start};
    event.kind = track == kStream ? Kind::kKernel : Kind::kRuntimeCall;
    event.correlation = correlation;
    event.shape = shape;
    trace.events.add(event);
  }

  FlowEnd& end(Role role, std::int64_t id, TrackId track, std::int64_t time,
               std::string_view category = "ac2g") {
    FlowEnd end;
    end.role = role;
    end.id = id;
    end.track = track;
    end.time = Time{time};
    end.category = trace.strings.intern(category);
    ends.push_back(end);
    return ends.back();
  }

  // The new flows, and the number of unmatched ends behind `unmatched`.
  std::vector<std::string> bind(std::size_t first_row = 0) {
    const std::size_t before = trace.flows.size();
    Diagnostics diagnostics;
    FlowBinder(std::move(ends)).bind(trace, first_row, diagnostics);
    ends = {};
    unmatched = diagnostics.count_of(kUnmatchedFlow);
    std::vector<std::string> lines;
    for (std::size_t i = before; i < trace.flows.size(); ++i) lines.push_back(line(trace.flows[i]));
    return lines;
  }

  Trace trace;
  Column<FlowEnd> ends;
  std::uint64_t unmatched = 0;

 private:
  [[nodiscard]] std::string line(const Flow& flow) const {
    const auto name = [this](EventId id) {
      return std::string(trace.text(trace.events.name[index_of(id)]));
    };
    const bool is_launch = flow.kind == Flow::Kind::kLaunch;
    return name(flow.from) + "->" + name(flow.to) + (is_launch ? " launch" : " other") +
           std::string(flow.name == kEmptyString ? "" : " ") + std::string(trace.text(flow.name));
  }
};

TEST(FlowBinder, NothingComesOfNothing) {
  FlowScene scene;
  EXPECT_THAT(scene.bind(), IsEmpty());
  EXPECT_EQ(scene.unmatched, 0U);
}

TEST(FlowBinder, CallAndKernelOfOneCorrelationAreJoined) {
  FlowScene scene;
  scene.event("k", kStream, 50, 60, 7);  // the order of rows does not matter
  scene.event("c", kHost, 0, 10, 7);
  scene.event("x", kHost, 20, 30, 8);    // launched nothing
  scene.event("y", kStream, 70, 80, 9);  // launched by a call that was not recorded
  scene.event("z", kStream, 90, 95);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch"));
}

TEST(FlowBinder, OneGraphLaunchHasManyKernels) {
  FlowScene scene;
  scene.event("g", kHost, 0, 10, 3);
  for (const char* name : {"p", "q", "r"}) scene.event(name, kStream, 50, 60, 3);
  EXPECT_THAT(scene.bind(), ElementsAre("g->p launch", "g->q launch", "g->r launch"));
}

TEST(FlowBinder, EarlierOfTwoCallsWithOneCorrelationLaunches) {
  FlowScene scene;
  scene.event("d", kHost, 20, 30, 3);
  scene.event("c", kHost, 0, 10, 3);
  scene.event("k", kStream, 50, 60, 3);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch"));
}

TEST(FlowBinder, OfTwoCallsAtOneTimeTheOneOnTheSmallerThreadLaunches) {
  for (const bool is_first : {true, false}) {
    FlowScene scene;
    scene.trace.tracks[index_of(kHost)].id.text = scene.trace.strings.intern("9");
    scene.trace.tracks[index_of(kOtherHost)].id.text = scene.trace.strings.intern("10");
    scene.event(is_first ? "a" : "b", is_first ? kHost : kOtherHost, 100, 200, 5);
    scene.event(is_first ? "b" : "a", is_first ? kOtherHost : kHost, 100, 200, 5);
    scene.event("k", kStream, 300, 400, 5);
    EXPECT_THAT(scene.bind(), ElementsAre("a->k launch")) << is_first;
  }
}

TEST(FlowBinder, ACorrelationIsUniqueInItsProcessOnly) {
  FlowScene scene;
  scene.trace.tracks[index_of(kOtherHost)].process = ProcessId{1};
  scene.trace.tracks[index_of(kStream)].process = ProcessId{1};
  scene.event("c", kHost, 0, 10, 3);
  scene.event("d", kOtherHost, 20, 30, 3);
  scene.event("k", kStream, 50, 60, 3);
  EXPECT_THAT(scene.bind(), ElementsAre("d->k launch"));
}

TEST(FlowBinder, ACallOfAnotherProcessLaunchesNothingHere) {
  FlowScene scene;
  scene.trace.tracks[index_of(kOtherHost)].process = ProcessId{1};
  scene.trace.tracks[index_of(kStream)].process = ProcessId{1};
  scene.event("c", kHost, 0, 10, 3);
  scene.event("d", kOtherHost, 20, 30, 4);
  scene.event("k", kStream, 50, 60, 3);
  EXPECT_THAT(scene.bind(), IsEmpty());
}

TEST(FlowBinder, AStreamWithoutACallingProcessTakesNoAmbiguousCall) {
  FlowScene scene;
  scene.trace.processes.resize(3);
  scene.trace.tracks[index_of(kOtherHost)].process = ProcessId{1};
  scene.trace.tracks[index_of(kStream)].process = ProcessId{2};
  scene.event("c", kHost, 0, 10, 3);
  scene.event("d", kOtherHost, 20, 30, 3);
  scene.event("e", kOtherHost, 40, 45, 4);
  scene.event("k", kStream, 50, 60, 3);
  scene.event("l", kStream, 60, 70, 4);
  EXPECT_THAT(scene.bind(), ElementsAre("e->l launch"));
}

TEST(FlowBinder, CorrelationsMayBeZeroOrHuge) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10, 0);
  scene.event("k", kStream, 50, 60, 0);
  scene.event("d", kHost, 20, 30, INT64_MAX);
  scene.event("l", kStream, 70, 80, INT64_MAX);
  scene.event("m", kStream, 70, 80, INT64_MAX - 1);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch", "d->l launch"));
}

TEST(FlowBinder, HostEventsWithOneCorrelationAreNotLaunches) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10, 3);
  scene.event("d", kOtherHost, 0, 10, 3);
  EXPECT_THAT(scene.bind(), IsEmpty());
}

TEST(FlowBinder, EarlierRanksAreLeftAlone) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10, 3);
  scene.event("k", kStream, 50, 60, 3);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch"));
  const std::size_t first_row = scene.trace.events.size();
  scene.event("l", kStream, 50, 60, 3);
  scene.end(Role::kStart, 1, kHost, 5);
  scene.end(Role::kFinish, 1, kStream, 50);
  EXPECT_THAT(scene.bind(first_row), IsEmpty()) << "the call belongs to the rank before";
  EXPECT_EQ(scene.unmatched, 1U);
}

TEST(FlowBinder, ArrowWithoutCorrelationIsBoundByTime) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10);
  scene.event("k", kStream, 50, 60);
  scene.end(Role::kFinish, 1, kStream, 50);
  scene.end(Role::kStart, 1, kHost, 4);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch ac2g"));
  EXPECT_EQ(scene.unmatched, 0U);
}

TEST(FlowBinder, InnermostEnclosingEventIsTaken) {
  FlowScene scene;
  scene.event("o", kHost, 0, 100);
  scene.event("i", kHost, 10, 20);
  scene.event("k", kStream, 50, 60);
  for (const std::int64_t time : {9, 10, 19, 20, 99}) {
    scene.end(Role::kStart, time, kHost, time);
    scene.end(Role::kFinish, time, kStream, 55);
  }
  scene.trace.tracks[index_of(kStream)].side = Track::Side::kHost;  // keeps repeated arrows
  EXPECT_THAT(scene.bind(), ElementsAre("o->k other ac2g", "i->k other ac2g", "i->k other ac2g",
                                        "o->k other ac2g", "o->k other ac2g"));
}

TEST(FlowBinder, EventEndsBeforeItsEnd) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10);
  scene.event("k", kStream, 50, 60);
  scene.end(Role::kStart, 1, kHost, 10);
  scene.end(Role::kFinish, 1, kStream, 50);
  EXPECT_THAT(scene.bind(), IsEmpty());
  EXPECT_EQ(scene.unmatched, 1U);
}

TEST(FlowBinder, EventWithoutDurationCanBeBoundAtItsStart) {
  FlowScene scene;
  scene.event("c", kHost, 5, 5);
  scene.event("k", kStream, 50, 60);
  scene.end(Role::kStart, 1, kHost, 5);
  scene.end(Role::kFinish, 1, kStream, 50);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch ac2g"));
}

TEST(FlowBinder, NextEventIsTakenWhenTheFileSaysSo) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10);
  scene.event("j", kStream, 40, 60);
  scene.event("k", kStream, 60, 70);
  scene.end(Role::kStart, 1, kHost, 4);
  scene.end(Role::kFinish, 1, kStream, 45).binds_enclosing = false;
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch ac2g"));
}

TEST(FlowBinder, NextEventMayStartAtTheTimeItself) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10);
  scene.event("j", kStream, 45, 60);
  scene.event("k", kStream, 60, 70);
  scene.end(Role::kStart, 1, kHost, 4);
  scene.end(Role::kFinish, 1, kStream, 45).binds_enclosing = false;
  EXPECT_THAT(scene.bind(), ElementsAre("c->j launch ac2g"));
}

TEST(FlowBinder, ArrowBetweenHostEventsIsNoLaunch) {
  FlowScene scene;
  scene.event("f", kHost, 0, 10);
  scene.event("b", kOtherHost, 50, 60);
  scene.end(Role::kStart, 1, kHost, 0, "fwdbwd");
  scene.end(Role::kFinish, 1, kOtherHost, 50, "fwdbwd");
  EXPECT_THAT(scene.bind(), ElementsAre("f->b other fwdbwd"));
}

TEST(FlowBinder, InstantsAndCountersAreNotBound) {
  FlowScene scene;
  scene.event("i", kHost, 4, 4, kNoCorrelation, Shape::kInstant);
  scene.event("k", kStream, 50, 60);
  scene.end(Role::kStart, 1, kHost, 4);
  scene.end(Role::kFinish, 1, kStream, 50);
  EXPECT_THAT(scene.bind(), IsEmpty());
}

TEST(FlowBinder, EndsWithoutPartnerAreCounted) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10);
  scene.event("k", kStream, 50, 60);
  scene.end(Role::kStart, 1, kHost, 4);
  scene.end(Role::kStart, 2, kHost, 4);
  scene.end(Role::kFinish, 3, kStream, 50);
  scene.end(Role::kStart, 4, kHost, 4, "one");
  scene.end(Role::kFinish, 4, kStream, 50, "another");
  EXPECT_THAT(scene.bind(), IsEmpty());
  EXPECT_EQ(scene.unmatched, 5U);
}

TEST(FlowBinder, LaunchToldByCorrelationIsNotToldTwice) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10, 7);
  scene.event("k", kStream, 50, 60, 7);
  // Once under the correlation, once under an id of its own.
  scene.end(Role::kStart, 7, kHost, 4).id_is_correlation = true;
  scene.end(Role::kFinish, 7, kStream, 50).id_is_correlation = true;
  scene.end(Role::kStart, 100, kHost, 4, "async");
  scene.end(Role::kFinish, 100, kStream, 50, "async");
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch"));
  EXPECT_EQ(scene.unmatched, 0U);
}

TEST(FlowBinder, CorrelationThatJoinedNothingIsBoundByTime) {
  FlowScene scene;
  scene.event("c", kHost, 0, 10);
  scene.event("k", kStream, 50, 60, 7);
  scene.end(Role::kStart, 7, kHost, 4).id_is_correlation = true;
  scene.end(Role::kFinish, 7, kStream, 50).id_is_correlation = true;
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch ac2g"));
}

TEST(FlowBinder, FinishOfAReusedIdBelongsToTheLatestStart) {
  FlowScene scene;
  scene.event("a", kHost, 0, 10);
  scene.event("b", kHost, 20, 30);
  scene.event("k", kStream, 15, 18);
  scene.event("l", kStream, 50, 60);
  scene.end(Role::kStart, 1, kHost, 0);
  scene.end(Role::kFinish, 1, kStream, 15);
  scene.end(Role::kStart, 1, kHost, 20);
  scene.end(Role::kFinish, 1, kStream, 50);
  EXPECT_THAT(scene.bind(), ElementsAre("a->k launch ac2g", "b->l launch ac2g"));
}

TEST(FlowBinder, FinishBeforeTheOnlyStartStillBelongsToIt) {
  FlowScene scene;
  scene.event("c", kHost, 20, 30);
  scene.event("k", kStream, 10, 15);  // the clocks of host and device differ
  scene.end(Role::kStart, 1, kHost, 20);
  scene.end(Role::kFinish, 1, kStream, 10);
  EXPECT_THAT(scene.bind(), ElementsAre("c->k launch ac2g"));
}

TEST(FlowBinder, StepsMakeAChain) {
  FlowScene scene;
  scene.event("a", kHost, 0, 10);
  scene.event("b", kOtherHost, 20, 30);
  scene.event("k", kStream, 50, 60);
  scene.end(Role::kFinish, 1, kStream, 50);
  scene.end(Role::kStep, 1, kOtherHost, 20);
  scene.end(Role::kStart, 1, kHost, 0);
  EXPECT_THAT(scene.bind(), ElementsAre("a->b other ac2g", "b->k launch ac2g"));
}

TEST(FlowBinder, ArrowFromAnEventToItselfIsCountedNotKept) {
  FlowScene scene;
  scene.event("a", kHost, 0, 10);
  scene.end(Role::kStart, 1, kHost, 2);
  scene.end(Role::kFinish, 1, kHost, 8);
  EXPECT_THAT(scene.bind(), IsEmpty());
  EXPECT_EQ(scene.unmatched, 1U);
}

}  // namespace
}  // namespace lockstep::trace
