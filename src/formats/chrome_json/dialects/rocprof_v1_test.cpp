// rocprof v1's dialect: exact times, lanes, arrows on cut times.
#include "formats/chrome_json/dialects/rocprof_v1.h"

#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"
#include "trace/flow_binder.h"

namespace lockstep::formats::chrome_json {
namespace {

std::string lane(std::string_view pid, std::string_view name) {
  return R"({"args":{"name":")" + std::string(name) + R"("},"ph":"M","pid":)" + std::string(pid) +
         R"(,"name":"process_name","sort_index":0})";
}

std::string span(std::string_view name, std::string_view pid, std::string_view tid,
                 std::int64_t begin_ns, std::int64_t end_ns, std::string_view device = "",
                 std::int64_t start_ns = 0) {
  const auto text = [](std::int64_t n) { return "\"" + std::to_string(n) + "\""; };
  std::string out = R"({"ph":"X","name":")" + std::string(name) + R"(","pid":")" +
                    std::string(pid) + R"(","tid":")" + std::string(tid) + R"(","ts":)" +
                    text((begin_ns - start_ns) / 1000) + R"(,"dur":)" +
                    text((end_ns - begin_ns) / 1000) + R"(,"args":{"BeginNs":)" + text(begin_ns) +
                    R"(,"EndNs":)" + text(end_ns);
  if (!device.empty()) out += R"(,"dev-id":")" + std::string(device) + R"(","queue-id":"0")";
  return out + R"(,"pid":"517","DurationNs":)" + text(end_ns - begin_ns) + "}}";
}

std::string arrow(char phase, std::string_view pid, std::string_view tid, std::int64_t ts, int id) {
  return R"({"ts":)" + std::to_string(ts) + R"(,"ph":")" + phase + R"(","cat":"DataFlow","id":)" +
         std::to_string(id) + R"(,"pid":)" + std::string(pid) + R"(,"tid":)" + std::string(tid) +
         R"(,"name":"dep"})";
}

std::string rocprof(const std::vector<std::string>& events) {
  std::string out = R"({ "traceEvents":[{})";
  for (const std::string& event : events) out += "\n," + event;
  return out + R"(], "otherData":{"a":"b"}})";
}

// Two copies and a kernel on GPU 2, launched by three calls.
std::vector<std::string> sample() {
  return {lane("2", "CPU HIP API"),
          lane("1", "COPY"),
          lane("8", "GPU2"),
          lane("0", "Markers and Ranges"),
          span("CopyHostToDevice", "1", "1", 5'020'126, 5'028'606, "2"),
          span("FillBuffer", "1", "1", 5'030'001, 5'031'000, "2"),
          span("hipMemcpy", "2", "517", 5'000'999, 5'029'001),
          span("hipLaunchKernel", "2", "517", 5'030'100, 5'032'300),
          span("hipMemset", "2", "517", 5'033'100, 5'033'400),
          span("step", "0", "517", 4'999'000, 5'060'000),
          span("add", "8", "1", 5'040'999, 5'041'998, "2"),
          arrow('s', "2", "517", 5'014, 0),
          arrow('t', "1", "1", 5'020, 0),
          arrow('s', "2", "517", 5'031, 1),
          arrow('t', "8", "1", 5'040, 1),
          arrow('s', "2", "517", 5'033, 2),
          arrow('t', "1", "1", 5'030, 2)};
}

std::string described(const trace::Trace& trace) {
  std::string out;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const trace::Track& track = trace.track_of(i);
    out += std::string(name_of(trace.events.kind[i])) + " " +
           std::string(trace.text(trace.events.name[i])) + " on ";
    if (track.side == trace::Track::Side::kDevice) {
      out += std::string(trace.text(trace.devices[trace::index_of(track.device)].id)) + "/";
    }
    out += std::string(trace.text(track.id.text)) + " at " +
           std::to_string(floor_ns(trace.events.start[i]) + trace.ranks[0].origin.ns) + " for " +
           std::to_string(floor_ns(trace.events.duration[i])) + "\n";
  }
  return out;
}

constexpr std::string_view kExpected =
    "memcpy CopyHostToDevice on 2/1 at 5020126 for 8480\n"
    "memset FillBuffer on 2/1 at 5030001 for 999\n"
    "runtime_call hipMemcpy on 517 at 5000999 for 28002\n"
    "runtime_call hipLaunchKernel on 517 at 5030100 for 2200\n"
    "runtime_call hipMemset on 517 at 5033100 for 300\n"
    "annotation step on 517 at 4999000 for 61000\n"
    "kernel add on 2/1 at 5040999 for 999\n";

TEST(RocprofV1, TimesAreExactAndLanesHaveRoles) {
  const trace::Trace trace = read_every_way(rocprof(sample()));
  EXPECT_EQ(described(trace), kExpected);
  EXPECT_EQ(trace.ranks[0].format, "rocprof_v1");
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kBoot);
}

TEST(RocprofV1, CopiesAndKernelsOfAStreamShareATrack) {
  const trace::Trace trace = read_every_way(rocprof(sample()));
  EXPECT_EQ(trace.events.track[0], trace.events.track[6]);
}

TEST(RocprofV1, CopiesOfOneLaneMayBelongToSeveralDevices) {
  std::vector<std::string> events = sample();
  events.push_back(span("CopyHostToDevice", "1", "1", 5'070'000, 5'071'000, "0"));
  const trace::Trace trace = read_every_way(rocprof(events));
  EXPECT_NE(described(trace).find("on 0/1 at 5070000"), std::string::npos);
  EXPECT_EQ(trace.devices.size(), 2U);
}

// Starts of arrows lie in the middle of calls, finishes at the cut start of the work; a call of
// 300 ns is found all the same.
TEST(RocprofV1, ArrowsBindOnCutTimes) {
  const trace::Trace trace = read_every_way(rocprof(sample()));
  std::string flows;
  for (const trace::Flow& flow : trace.flows) {
    flows += std::to_string(trace::index_of(flow.from)) + ">" +
             std::to_string(trace::index_of(flow.to)) + " ";
    EXPECT_EQ(flow.kind, trace::Flow::Kind::kLaunch);
  }
  EXPECT_EQ(flows, "2>0 3>6 4>1 ");
}

TEST(RocprofV1, AnArrowThatLeadsNowhereIsCounted) {
  std::vector<std::string> events = sample();
  events.push_back(arrow('t', "8", "1", 9'999, 1));
  const trace::Trace trace = read_every_way(rocprof(events));
  EXPECT_EQ(trace.flows.size(), 3U);
  EXPECT_EQ(trace.diagnostics.count_of(trace::kUnmatchedFlow), 1U);
}

TEST(RocprofV1, TimesMayCountFromTheStartOfTheProfiler) {
  const std::int64_t start_ns = 4'000'777;
  const trace::Trace trace = read_every_way(
      rocprof({lane("8", "GPU2"), span("a", "8", "1", 5'000'500, 5'001'501, "2", start_ns),
               span("b", "8", "1", 5'002'100, 5'002'300, "2", start_ns)}));
  EXPECT_EQ(trace.events.duration[0], Time{1'001'000});
  EXPECT_EQ(trace.events.start[1] - trace.events.start[0], Time{1'600'000});
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kSession);
}

TEST(RocprofV1, QuotedTimesOfOthersAreReadAsTheyAre) {
  const trace::Trace trace = read_every_way(
      R"([{"ph":"X","name":"a","pid":"1","tid":"1","ts":"12.5","dur":"3","args":{"BeginNs":"x"}}])");
  EXPECT_EQ(trace.ranks[0].format, "chrome");
  EXPECT_EQ(trace.events.duration[0], Time{3'000'000});
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
