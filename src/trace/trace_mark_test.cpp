// Taking back what was added to a trace.
#include "trace/trace_mark.h"

#include <gtest/gtest.h>

namespace lockstep::trace {
namespace {

void add_rank(Trace& trace, std::string_view name) {
  const RankId rank{static_cast<std::uint32_t>(trace.ranks.size())};
  trace.ranks.emplace_back();
  trace.processes.emplace_back().rank = rank;
  trace.devices.push_back({rank, {}, {}});
  trace.tracks.emplace_back().process = ProcessId{static_cast<std::uint32_t>(rank)};
  Event event;
  event.name = trace.strings.intern(name);
  event.track = TrackId{static_cast<std::uint32_t>(rank)};
  const EventId id = trace.events.add(event);
  const Argument argument = Argument::integer(event.name, 1);
  trace.arguments.set(id, std::span(&argument, 1));
  trace.flows.push_back({id, id, Flow::Kind::kOther, {}});
  trace.steps.emplace_back();
  trace.collectives.emplace_back().event = id;
}

TEST(TraceMark, WhatCameAfterItIsGone) {
  Trace trace;
  add_rank(trace, "kept");
  const TraceMark mark(trace);
  add_rank(trace, "lost");
  mark.roll_back(trace);
  EXPECT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.processes.size(), 1U);
  EXPECT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.tracks.size(), 1U);
  EXPECT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.flows.size(), 1U);
  EXPECT_EQ(trace.steps.size(), 1U);
  EXPECT_EQ(trace.collectives.size(), 1U);
  EXPECT_EQ(trace.text(trace.events.name[0]), "kept");
  // An event that takes the place of a lost one does not get its arguments.
  const EventId next = trace.events.add({});
  EXPECT_TRUE(trace.arguments.of(next).empty());
}

}  // namespace
}  // namespace lockstep::trace
