// Cuts and shifts on the wire.
#include "formats/xspace/write/xspace_rewriter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "formats/xspace/write/xspace_writer.h"
#include "formats/xspace/xspace_for_test.h"
#include "trace/selection.h"

namespace lockstep::formats::xspace {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

struct Rewritten {
  Status status;
  std::string bytes;
};

Rewritten rewrite(const std::string& space, const XSpaceEdit& edit) {
  const OpenXSpace open = [&]() -> Result<std::unique_ptr<io::ByteSource>> {
    return std::unique_ptr<io::ByteSource>(std::make_unique<io::MemorySource>(space));
  };
  io::MemorySink sink;
  Status status = rewrite_xspace(open, "test.xplane.pb", edit, sink);
  return {std::move(status), sink.bytes()};
}

XSpaceEdit keeping_everything() {
  XSpaceEdit edit;
  edit.keep_plane = [](std::string_view, std::string_view) { return true; };
  edit.keep_event = [](const XSpaceEvent&) { return true; };
  edit.shift_ns = [](std::string_view, std::string_view) { return 0; };
  return edit;
}

// Unknown fields everywhere, of all wire types, and lengths that are longer than they need be.
std::string odd_space() {
  std::string fixed;
  protozero::pbf_writer(fixed).add_fixed64(99, 7);
  protozero::pbf_writer(fixed).add_fixed32(98, 7);
  const std::string unknown = number_field(77, -1) + fixed + field(78, "unknown");
  const std::string event_body = number_field(1, 1) + unknown + number_field(2, 5'000);
  // Tag 0x22 and length as varints of more bytes than needed.
  const std::string odd_event = std::string("\xA2\x80\x00", 3) +
                                std::string(1, static_cast<char>(0x80 | event_body.size())) +
                                std::string("\x80\x00", 2) + event_body;
  return plane("/device:GPU:0", {line(1, "Stream #1", 9, {event(1, 1'000, 10), odd_event, unknown}),
                                 unknown, event_name(1, "k")}) +
         unknown +
         plane("/host:CPU", {line(1, "t", 9, {event(1, 0, 9'000)}), event_name(1, "op")}) +
         environment();
}

TEST(XSpaceRewriter, WithoutChangesEveryByteStays) {
  for (const std::string& space :
       {sample_space(), odd_space(), std::string("no protobuf at all")}) {
    EXPECT_EQ(rewrite(space, {}).bytes, space);
  }
}

TEST(XSpaceRewriter, AnEditThatKeepsEverythingChangesNoByte) {
  for (const std::string& space : {sample_space(), odd_space(), std::string()}) {
    const Rewritten result = rewrite(space, keeping_everything());
    EXPECT_TRUE(result.status.ok());
    EXPECT_EQ(result.bytes, space);
  }
}

TEST(XSpaceRewriter, DroppedEventsLeaveTheRestAsItIs) {
  XSpaceEdit edit;
  edit.keep_event = [](const XSpaceEvent& event) { return event.end - event.start != 10; };
  const std::string without = [] {
    std::string space = odd_space();
    const std::string dropped = event(1, 1'000, 10);
    return space.erase(space.find(dropped), dropped.size());
  }();
  const Rewritten result = rewrite(odd_space(), edit);
  ASSERT_TRUE(result.status.ok());
  // But for the lengths of the plane and the line, whose varints need as many bytes as before.
  EXPECT_EQ(result.bytes.size(), without.size());
  const Reading read = read_space(result.bytes);
  EXPECT_EQ(read.trace.events.size(), 2);
  EXPECT_FALSE(read.trace.diagnostics.has_loss());
}

TEST(XSpaceRewriter, EventsAreDescribedAsTheReaderReadsThem) {
  std::vector<std::string> seen;
  XSpaceEdit edit;
  edit.wants_launches = true;
  edit.keep_event = [&](const XSpaceEvent& event) {
    seen.push_back(std::string(event.plane) + " " + std::string(event.line) + " " +
                   std::string(event.name) + " " + std::string(name_of(event.kind)) + " " +
                   std::to_string(static_cast<std::int64_t>(
                       event.start - WideTime{static_cast<std::int64_t>(kStartNs)} * 1000)) +
                   "+" + std::to_string(static_cast<std::int64_t>(event.end - event.start)) + " " +
                   std::to_string(event.correlation) + (event.launches_kept ? " launches" : ""));
    return true;
  };
  static_cast<void>(rewrite(sample_space(), edit));
  ASSERT_GT(seen.size(), 7);
  seen.erase(seen.begin(), seen.begin() + 3);  // of the pass over devices
  seen.resize(7);
  EXPECT_THAT(
      seen,
      ElementsAre("/host:CPU python3 train annotation 1000000+9000000 -1",
                  "/host:CPU python3 cuLaunchKernel runtime_call 2000000+500000 11 launches",
                  "/host:CPU python3 $core.py:12 bind python 3000000+100000 -1",
                  "/host:CPU python3 BUFFER_FLUSH overhead 4000000+1000 -1",
                  "/device:GPU:0 Stream #14(Compute,MemcpyH2D) gemm kernel 6000123+2000001 11",
                  "/device:GPU:0 Stream #14(Compute,MemcpyH2D) MemcpyH2D memcpy 9000000+1000000 -1",
                  "/device:GPU:0 XLA Ops fusion.1 annotation 6000123+2000001 -1"));
}

XSpaceCut window(std::int64_t start_ps, std::int64_t end_ps) {
  const WideTime zero = WideTime{static_cast<std::int64_t>(kStartNs)} * 1000;
  XSpaceCut cut;
  cut.start = zero + start_ps;
  cut.end = zero + end_ps;
  return cut;
}

std::vector<std::string> names_after(const XSpaceCut& cut) {
  const Rewritten result = rewrite(sample_space(), edit_for(cut));
  EXPECT_TRUE(result.status.ok());
  const trace::Trace trace = read_space(result.bytes).trace;
  std::vector<std::string> names;
  for (const StringId name : trace.events.name) names.emplace_back(trace.text(name));
  return names;
}

TEST(XSpaceRewriter, AWindowKeepsTheLaunchesOfItsKernels) {
  // The launch ended long before the window.
  EXPECT_THAT(names_after(window(8'000'000, 8'000'100)),
              UnorderedElementsAre("train", "cuLaunchKernel", "gemm", "fusion.1"));
}

TEST(XSpaceRewriter, AWindowIsHalfOpen) {
  EXPECT_THAT(names_after(window(10'000'000, 10'000'001)), ElementsAre());  // MemcpyH2D ends there
  EXPECT_THAT(names_after(window(0, 1'000'000)), ElementsAre());            // train starts there
}

TEST(XSpaceRewriter, KindsAndDevicesAreCutToo) {
  XSpaceCut kinds;
  kinds.kinds = {{trace::Kind::kKernel, trace::Kind::kPython}};
  EXPECT_THAT(names_after(kinds), UnorderedElementsAre("gemm", "$core.py:12 bind"));
  XSpaceCut devices;
  devices.devices = {{"1"}};
  EXPECT_THAT(names_after(devices),
              UnorderedElementsAre("train", "$core.py:12 bind", "BUFFER_FLUSH"));
}

// What is left of a space when it is cut on the wire, and when it is read and cut.
struct Left {
  std::vector<std::string> events;
  std::vector<std::string> flows;
  std::vector<std::string> steps;

  explicit Left(const trace::Trace& trace) {
    const auto name = [&](trace::EventId id) {
      const std::size_t row = trace::index_of(id);
      return std::string(trace.text(trace.events.name[row])) + " " +
             std::to_string(trace.events.duration[row].ps);
    };
    for (std::uint32_t i = 0; i < trace.events.size(); ++i)
      events.push_back(name(trace::EventId{i}));
    for (const trace::Flow& flow : trace.flows)
      flows.push_back(name(flow.from) + " -> " + name(flow.to));
    for (const trace::Step& step : trace.steps) steps.emplace_back(trace.text(step.name));
    for (auto* all : {&events, &flows, &steps}) std::ranges::sort(*all);
  }
};

void expect_same_on_the_wire(const std::string& space, const trace::Selection& selection) {
  Reading model = read_space(space);
  const WideTime zero = WideTime{model.trace.ranks.at(0).origin.ns} * kPicosecondsPerNanosecond;
  XSpaceCut cut;
  if (selection.from) cut.start = zero + selection.from->ps;
  if (selection.to) cut.end = zero + selection.to->ps;
  if (selection.devices) cut.devices.emplace(selection.devices->begin(), selection.devices->end());
  for (std::size_t i = 0; selection.kinds && i < trace::kKindCount; ++i) {
    if (!cut.kinds) cut.kinds.emplace();
    if ((*selection.kinds)[i]) cut.kinds->push_back(static_cast<trace::Kind>(i));
  }
  trace::keep_only(model.trace, selection);
  const Left expected(model.trace);
  const Rewritten result = rewrite(space, edit_for(cut));
  ASSERT_TRUE(result.status.ok()) << result.status.error().text();
  const Left left(read_space(result.bytes).trace);
  EXPECT_EQ(left.events, expected.events);
  EXPECT_EQ(left.flows, expected.flows);
  EXPECT_EQ(left.steps, expected.steps);
}

// Two devices, each launched by a call of its own, a call twice under one correlation, and a call
// that launches nothing.
std::string two_devices() {
  const auto device = [](int number, std::uint64_t correlation, std::int64_t start) {
    return plane(
        "/device:GPU:" + std::to_string(number),
        {line(1, "Stream #1(Compute)", 5, {event(1, start, 100, {unsigned_stat(1, correlation)})}),
         event_name(1, "kernel" + std::to_string(number)), stat_name(1, "correlation_id")});
  };
  return plane("/host:CPU",
               {line(7, "main", 5,
                     {event(1, 1'000, 10, {unsigned_stat(1, 1)}),
                      event(2, 2'000, 20, {unsigned_stat(1, 2)}),
                      event(3, 3'000, 30, {unsigned_stat(1, 2)}),
                      event(4, 4'000, 40, {unsigned_stat(1, 3)}), event(5, 0, 90'000)}),
                event_name(1, "cuLaunchA"), event_name(2, "cuLaunchB"),
                event_name(3, "cuLaunchBAgain"), event_name(4, "cuNothing"), event_name(5, "work"),
                stat_name(1, "correlation_id")}) +
         device(0, 1, 20'000) + device(1, 2, 40'000) + environment();
}

std::vector<trace::Selection> selections() {
  std::vector<trace::Selection> all(6);
  all[0].devices = {"0"};
  all[1].devices = {"1"};
  all[2].from = Time{20'050};
  all[2].to = Time{20'060};
  all[3].from = Time{2'500};
  all[3].to = Time{40'050};
  all[3].devices = {"1"};
  all[4].kinds.emplace().set(static_cast<std::size_t>(trace::Kind::kKernel));
  all[5].kinds = all[4].kinds;
  all[5].kinds->set(static_cast<std::size_t>(trace::Kind::kRuntimeCall));
  all[5].devices = {"0"};
  return all;
}

TEST(XSpaceRewriter, CallsLiveAndDieWithTheirDeviceWorkAsInTheModel) {
  for (const trace::Selection& selection : selections())
    expect_same_on_the_wire(two_devices(), selection);
}

// A file of lockstep: steps in a table of their own, a launch without a correlation.
std::string own_space(Clock clock) {
  trace::Trace trace = read_space(two_devices()).trace;
  trace.ranks[0].origin.clock = clock;
  trace.events.correlation[1] = trace::kNoCorrelation;  // cuLaunchB and kernel1
  trace.events.correlation[6] = trace::kNoCorrelation;
  trace.steps.push_back({trace.strings.intern("step 1"), trace::RankId{0}, Time{0}, Time{10'000}});
  trace.steps.push_back(
      {trace.strings.intern("step 2"), trace::RankId{0}, Time{10'000}, Time{50'000}});
  io::MemorySink sink;
  EXPECT_TRUE(write_xspace(trace, sink).ok());
  return sink.bytes();
}

TEST(XSpaceRewriter, FilesOfLockstepAreCutAsTheModelIs) {
  for (const Clock clock : {Clock::kEpoch, Clock::kSession}) {
    const std::string space = own_space(clock);
    ASSERT_EQ(read_space(space).trace.flows.size(), 2);
    for (const trace::Selection& selection : selections())
      expect_same_on_the_wire(space, selection);
  }
}

TEST(XSpaceRewriter, TheStartOfTheProfileIsTheReaders) {
  const std::string name = stat_name(1, "profile_start_time");
  const std::string text = plane("Task Environment", {name, plane_stat(text_stat(1, "soon"))});
  const std::string early = plane("Task Environment", {name, plane_stat(signed_stat(1, 77))});
  trace::Selection first;
  first.to = Time{50};
  for (const std::string& before : {text, early}) {
    expect_same_on_the_wire(before + sample_space(), first);
    // Who wrote the file is known behind its start.
    expect_same_on_the_wire(before + own_space(Clock::kEpoch), first);
    expect_same_on_the_wire(before + own_space(Clock::kSession), first);
  }
}

TEST(XSpaceRewriter, StatsWithOneNameUnderManyIdsAreKept) {
  std::string names;
  std::string stats;
  for (std::int64_t id = 1; id <= 300; ++id) {
    names += stat_name(id, "correlation_id");
    stats += field(4, unsigned_stat(id, 5));
  }
  const std::string one = field(4, number_field(1, 1) + number_field(2, 9) + stats);
  const std::string space =
      plane("/host:CPU", {field(3, one + one + one + one), event_name(1, "k"), names});
  EXPECT_EQ(rewrite(space, keeping_everything()).bytes, space);
}

TEST(XSpaceRewriter, AggregatesOutliveAWindow) {
  const std::string space =
      plane("/device:GPU:0",
            {line(1, "Stream #1", 0, {aggregate(1, 3, 9), event(1, 5, 1)}), event_name(1, "k")});
  XSpaceCut cut;
  cut.start = 100;
  const Reading read = read_space(rewrite(space, edit_for(cut)).bytes);
  EXPECT_EQ(read.count_of("aggregated_event"), 1);
  EXPECT_EQ(read.trace.events.size(), 0);
}

TEST(XSpaceRewriter, LinesAreShiftedByTheirName) {
  XSpaceEdit edit;
  edit.shift_ns = [](std::string_view plane, std::string_view line) {
    return plane == "/device:GPU:0" && line.starts_with("Stream") ? INT64_C(1'000'000) : 0;
  };
  const Rewritten result = rewrite(sample_space(), edit);
  ASSERT_TRUE(result.status.ok());
  const auto rows = brief(read_space(result.bytes).trace);
  EXPECT_EQ(rows.at(4), "kernel device 0/14 gemm 1005000123+2000001");
  EXPECT_EQ(rows.at(6), "annotation device 0/XLA Ops fusion.1 5000123+2000001");
}

TEST(XSpaceRewriter, ALineWithoutATimestampGetsOneWhenItIsShifted) {
  const std::string space =
      plane("/host:CPU", {field(3, number_field(1, 5) + event(1, 7'000, 1)), event_name(1, "k")});
  XSpaceEdit edit;
  edit.shift_ns = [](std::string_view, std::string_view) { return -3; };
  const trace::Trace trace = read_space(rewrite(space, edit).bytes).trace;
  EXPECT_EQ(trace.ranks[0].origin.ns, 4);
}

TEST(XSpaceRewriter, WhatIsCutOrDamagedIsRefusedBeforeAnythingIsWritten) {
  const std::string whole = sample_space();
  const Rewritten cut = rewrite(whole.substr(0, whole.size() - 3), keeping_everything());
  ASSERT_FALSE(cut.status.ok());
  EXPECT_EQ(cut.bytes, "");
  EXPECT_THAT(cut.status.error().text(),
              testing::MatchesRegex("test.xplane.pb: is cut short at byte [0-9]+. Only a whole "
                                    "XSpace can be cut or shifted; info reads what is there"));
  const std::string bad = plane("/host:CPU", {std::string("\x1A\x7F", 2)}) + whole;
  const Rewritten damaged = rewrite(bad, keeping_everything());
  ASSERT_FALSE(damaged.status.ok());
  EXPECT_EQ(damaged.bytes, "");
  EXPECT_THAT(damaged.status.error().message, testing::MatchesRegex("is damaged at byte [0-9]+"));
}

TEST(XSpaceRewriter, EveryCutIsRefusedOrCopied) {
  const std::string whole = odd_space();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string part = whole.substr(0, length);
    const Rewritten result = rewrite(part, keeping_everything());
    EXPECT_EQ(result.bytes, result.status.ok() ? part : std::string()) << length;
  }
}

// Dropping on the wire is the same as dropping from the model.
TEST(XSpaceRewriterProperty, AWindowKeepsWhatTheModelHasInIt) {
  EXPECT_TRUE(rc::check([] {
    std::string events;
    const int count = *rc::gen::inRange(0, 60);
    for (int i = 0; i < count; ++i) {
      events += event(1, *rc::gen::inRange<std::int64_t>(1, 100'000),
                      *rc::gen::inRange<std::int64_t>(0, 50'000));
    }
    const std::string space =
        plane("/device:GPU:0",
              {field(3, field(2, "Stream #1") + events + number_field(3, 2)), event_name(1, "k")});
    XSpaceCut cut;
    cut.start = *rc::gen::inRange<std::int64_t>(0, 100'000);
    cut.end = *cut.start + *rc::gen::inRange<std::int64_t>(0, 50'000);
    const auto absolute = [](const trace::Trace& trace) {
      std::vector<std::pair<std::int64_t, std::int64_t>> out;
      for (std::size_t i = 0; i < trace.events.size(); ++i) {
        const std::int64_t start = trace.ranks[0].origin.ns * 1000 + trace.events.start[i].ps;
        out.emplace_back(start, start + trace.events.duration[i].ps);
      }
      return out;
    };
    auto expected = absolute(read_space(space).trace);
    std::erase_if(expected, [&](const auto& span) {
      const bool is_point = span.first == span.second && span.first == *cut.start;
      return span.first >= *cut.end || (span.second <= *cut.start && !is_point);
    });
    const Rewritten result = rewrite(space, edit_for(cut));
    RC_ASSERT(result.status.ok());
    RC_ASSERT(absolute(read_space(result.bytes).trace) == expected);
  }));
}

}  // namespace
}  // namespace lockstep::formats::xspace
