// What stays of a trace when a part of it is selected.
#include "trace/selection.h"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace lockstep::trace {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Two ranks, each with a thread, two devices and a stream on each. Events are named by letters.
class SelectionScene : public TestTrace {
 public:
  SelectionScene() {
    trace.ranks[0].number = 10;
    add_streams();
    add_rank(11);
    add_streams();
  }

  static TrackId thread(std::uint32_t rank) { return TrackId{3 * rank}; }
  static TrackId stream(std::uint32_t rank, std::uint32_t device) {
    return TrackId{3 * rank + 1 + device};
  }

  EventId add(std::string_view name, TrackId track, std::int64_t start, std::int64_t end) {
    const bool is_device = trace.tracks[index_of(track)].side == Track::Side::kDevice;
    const Kind kind = is_device ? Kind::kKernel : Kind::kRuntimeCall;
    const EventId id = add_ps(track, kind, name, start, end - start);
    const Argument argument = Argument::integer(trace.strings.intern(name), start);
    trace.arguments.set(id, std::span(&argument, 1));
    return id;
  }

  void launch(EventId from, EventId to) {
    trace.flows.push_back({from, to, Flow::Kind::kLaunch, {}});
  }

  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const StringId name : trace.events.name) names.emplace_back(trace.text(name));
    return names;
  }

 private:
  void add_streams() {
    for (const char* id : {"0", "1"}) add_stream(add_device(id), "7");
  }
};

TEST(Selection, NothingSaidKeepsEverything) {
  SelectionScene scene;
  scene.add("a", SelectionScene::thread(0), 0, 10);
  keep_only(scene.trace, {});
  EXPECT_EQ(scene.trace.events.size(), 1U);
  EXPECT_EQ(scene.trace.ranks.size(), 2U);
}

TEST(Selection, ASliceIsHalfOpenAndKeepsWholeEvents) {
  SelectionScene scene;
  const TrackId stream = SelectionScene::stream(0, 0);
  scene.add("before", stream, 0, 100);
  scene.add("into", stream, 50, 101);
  scene.add("inside", stream, 120, 130);
  scene.add("out", stream, 199, 300);
  scene.add("after", stream, 200, 300);
  scene.add("point at start", stream, 100, 100);
  scene.add("point at end", stream, 200, 200);
  keep_only(scene.trace, {.from = Time{100}, .to = Time{200}});
  EXPECT_THAT(scene.names(), ElementsAre("into", "inside", "out", "point at start"));
  EXPECT_EQ(scene.trace.events.start[0].ps, 50) << "never cut";
}

TEST(Selection, ASliceKeepsTheCallsThatLaunchedItsKernels) {
  SelectionScene scene;
  const EventId early = scene.add("call", SelectionScene::thread(0), 0, 10);
  const EventId other = scene.add("idle call", SelectionScene::thread(0), 20, 30);
  const EventId kernel = scene.add("kernel", SelectionScene::stream(0, 0), 100, 110);
  const EventId outside = scene.add("late kernel", SelectionScene::stream(0, 0), 300, 310);
  scene.launch(early, kernel);
  scene.launch(other, outside);
  keep_only(scene.trace, {.from = Time{90}, .to = Time{200}});
  EXPECT_THAT(scene.names(), ElementsAre("call", "kernel"));
  ASSERT_EQ(scene.trace.flows.size(), 1U);
  EXPECT_EQ(index_of(scene.trace.flows[0].from), 0U);
  EXPECT_EQ(index_of(scene.trace.flows[0].to), 1U);
}

TEST(Selection, DevicesTakeTheirLaunchesWithThem) {
  SelectionScene scene;
  const EventId a = scene.add("a", SelectionScene::thread(0), 0, 10);
  const EventId b = scene.add("b", SelectionScene::thread(0), 20, 30);
  scene.add("op", SelectionScene::thread(0), 0, 50);
  const EventId on0 = scene.add("on 0", SelectionScene::stream(0, 0), 100, 110);
  const EventId on1 = scene.add("on 1", SelectionScene::stream(0, 1), 100, 110);
  scene.launch(a, on0);
  scene.launch(b, on1);
  keep_only(scene.trace, {.devices = std::set<std::string>{"1"}});
  EXPECT_THAT(scene.names(), ElementsAre("b", "op", "on 1"));
  ASSERT_EQ(scene.trace.devices.size(), 1U);
  EXPECT_EQ(scene.trace.text(scene.trace.devices[0].id), "1");
  EXPECT_EQ(scene.trace.ranks.size(), 1U);
}

TEST(Selection, ACallInTheSliceStaysWhereItsKernelIsOutsideIt) {
  SelectionScene scene;
  const EventId call = scene.add("call", SelectionScene::thread(0), 100, 110);
  const EventId late = scene.add("late", SelectionScene::stream(0, 1), 500, 510);
  scene.launch(call, late);
  keep_only(scene.trace,
            {.from = Time{90}, .to = Time{200}, .devices = std::set<std::string>{"1"}});
  EXPECT_THAT(scene.names(), ElementsAre("call"));
}

TEST(Selection, RanksMayHaveSlicesOfTheirOwn) {
  SelectionScene scene;
  for (const std::uint32_t rank : {0U, 1U}) {
    scene.add("early", SelectionScene::stream(rank, 0), 0, 10);
    scene.add("late", SelectionScene::stream(rank, 0), 100, 110);
  }
  Selection selection;
  selection.slices = {Selection::Slice{{}, Time{50}}, Selection::Slice{Time{50}, {}}};
  keep_only(scene.trace, selection);
  EXPECT_THAT(scene.names(), ElementsAre("early", "late"));
  EXPECT_EQ(scene.trace.ranks.size(), 2U);
}

TEST(Selection, ARankWithoutASliceHasNothing) {
  SelectionScene scene;
  scene.add("a", SelectionScene::stream(0, 0), 0, 10);
  scene.add("b", SelectionScene::stream(1, 0), 0, 10);
  Selection selection;
  selection.slices = {std::nullopt, Selection::Slice{}};
  keep_only(scene.trace, selection);
  EXPECT_THAT(scene.names(), ElementsAre("b"));
}

TEST(Selection, RanksGoWithAllThatIsTheirs) {
  SelectionScene scene;
  scene.add("a", SelectionScene::stream(0, 0), 0, 10);
  scene.add("b", SelectionScene::stream(1, 1), 0, 10);
  scene.trace.steps.push_back({{}, RankId{0}, Time{0}, Time{5}});
  scene.trace.steps.push_back({{}, RankId{1}, Time{0}, Time{5}});
  scene.trace.collectives.push_back({.event = EventId{1}});
  keep_only(scene.trace, {.ranks = std::set<std::int64_t>{11}});
  EXPECT_THAT(scene.names(), ElementsAre("b"));
  ASSERT_EQ(scene.trace.ranks.size(), 1U);
  EXPECT_EQ(scene.trace.ranks[0].number, 11);
  ASSERT_EQ(scene.trace.steps.size(), 1U);
  EXPECT_EQ(index_of(scene.trace.steps[0].rank), 0U);
  ASSERT_EQ(scene.trace.collectives.size(), 1U);
  EXPECT_EQ(index_of(scene.trace.collectives[0].event), 0U);
  EXPECT_EQ(scene.trace.arguments.of(EventId{0})[0].key, scene.trace.events.name[0]);
}

TEST(Selection, KindsAreTakenByTheirWord) {
  SelectionScene scene;
  const EventId call = scene.add("call", SelectionScene::thread(0), 0, 10);
  const EventId kernel = scene.add("kernel", SelectionScene::stream(0, 0), 0, 10);
  scene.launch(call, kernel);
  std::bitset<kKindCount> kinds;
  kinds.set(static_cast<std::size_t>(Kind::kKernel));
  keep_only(scene.trace, {.kinds = kinds});
  EXPECT_THAT(scene.names(), ElementsAre("kernel"));
  EXPECT_TRUE(scene.trace.flows.empty());
}

TEST(Selection, NothingMayBeLeft) {
  SelectionScene scene;
  scene.add("a", SelectionScene::thread(0), 0, 10);
  keep_only(scene.trace, {.from = Time{50}});
  EXPECT_THAT(scene.names(), IsEmpty());
  EXPECT_TRUE(scene.trace.ranks.empty());
}

// Whatever is selected, what is left is whole: every index points at something.
TEST(Selection, WhatIsLeftIsWhole) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    SelectionScene scene;
    const auto pick = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
    for (int i = 0; i < 30; ++i) {
      const std::int64_t start = pick(100);
      scene.add("e", TrackId{pick(6)}, start, start + pick(20));
    }
    for (int i = 0; i < 20; ++i) scene.launch(EventId{pick(30)}, EventId{pick(30)});
    Selection selection{.from = Time{pick(60)}, .to = Time{40 + pick(80)}};
    if (pick(2) == 0) selection.devices = std::set<std::string>{"0"};
    if (pick(2) == 0) selection.ranks = std::set<std::int64_t>{10 + pick(2)};
    keep_only(scene.trace, selection);
    for (const TrackId track : scene.trace.events.track) {
      ASSERT_LT(index_of(track), scene.trace.tracks.size());
    }
    for (const Track& track : scene.trace.tracks) {
      ASSERT_LT(index_of(track.process), scene.trace.processes.size());
      ASSERT_LT(index_of(scene.trace.rank_of(track)), scene.trace.ranks.size());
      if (track.side == Track::Side::kDevice) {
        ASSERT_LT(index_of(track.device), scene.trace.devices.size());
      }
    }
    for (const Flow& flow : scene.trace.flows) {
      ASSERT_LT(index_of(flow.from), scene.trace.events.size());
      ASSERT_LT(index_of(flow.to), scene.trace.events.size());
    }
  }
}

}  // namespace
}  // namespace lockstep::trace
