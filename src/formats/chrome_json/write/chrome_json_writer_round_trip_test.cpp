// Hostile little traces: read, written and read again. The output must be JSON to another library,
// and the second reading must give the same trace.
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/chrome_json/reading_for_test.h"
#include "formats/chrome_json/write/chrome_json_writer.h"

namespace lockstep::formats::chrome_json {
namespace {

using nlohmann::json;
using testing::ElementsAre;

trace::Trace read_whole(std::string_view text) {
  shared::ReadOptions options;
  options.keep_arguments = trace::KeepArguments::kAll;
  Result<trace::Trace> read = try_read(text, options);
  if (read.ok()) return std::move(read).value();
  ADD_FAILURE() << read.error().text() << "\n" << text;
  return {};
}

std::string written(const trace::Trace& trace) {
  io::MemorySink sink;
  EXPECT_TRUE(write_chrome_json(trace, sink).ok());
  EXPECT_TRUE(json::accept(sink.bytes())) << sink.bytes();
  return sink.bytes();
}

// All but what writing may change: members of the root are completed, findings are about the bytes.
std::string comparable(const trace::Trace& trace) {
  std::istringstream lines(describe(trace));
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("metadata") && !line.starts_with("diagnostic")) kept += line + "\n";
  }
  return kept;
}

// Returns the second reading.
trace::Trace expect_same_again(std::string_view text) {
  const trace::Trace first = read_whole(text);
  const std::string bytes = written(first);
  trace::Trace second = read_whole(bytes);
  EXPECT_EQ(comparable(second), comparable(first)) << text << "\n" << bytes;
  EXPECT_EQ(written(second), bytes) << text;
  return second;
}

// A span on thread 1/2; `rest` are further members.
std::string span(std::string_view name, int start, int duration, std::string_view rest = {}) {
  return R"({"ph":"X","pid":1,"tid":2,"name":")" + std::string(name) + R"(","ts":)" +
         std::to_string(start) + R"(,"dur":)" + std::to_string(duration) + std::string(rest) + "}";
}

std::string arrow_end(std::string_view phase, int id, int time) {
  return R"({"ph":")" + std::string(phase) + R"(","bp":"e","cat":"fwdbwd","name":"x","id":)" +
         std::to_string(id) + R"(,"pid":1,"tid":2,"ts":)" + std::to_string(time) + "}";
}

std::vector<std::string> arguments_again(std::string_view members) {
  const std::string event = span("a", 5, 1, R"(,"args":{)" + std::string(members) + "}");
  return arguments_of(expect_same_again(document({event})), 0);
}

TEST(ChromeJsonRoundTrip, RealsOfSeventeenDigitsAreReals) {
  const trace::Trace trace = read_whole(document({span("a", 5, 1, R"(,"args":{
      "a": 0.30000000000000004, "g": 123456789012345680000.0, "b": 1234567.8901234567, "c": 1.0000000000000000000,
      "d": 2.2250738585072014E-308, "e": -1.7976931348623157e308, "f": 5e-324})")}));
  for (const trace::Argument& argument : trace.arguments.of(trace::EventId{0})) {
    EXPECT_EQ(argument.type, trace::Argument::Type::kReal) << trace.text(argument.key);
  }
  EXPECT_EQ(trace.arguments.of(trace::EventId{0})[0].as_real(), 0.30000000000000004);
  expect_same_again(document({span("a", 5, 1, R"(,"args":{"a": 0.30000000000000004})")}));
}

TEST(ChromeJsonRoundTrip, NumbersThatADoubleWouldChangeKeepTheirDigits) {
  EXPECT_THAT(arguments_again(R"("a": 0.300000000000000041, "b": 18446744073709551615,
                                 "c": 1e-400, "d": 1.24e-322, "e": 4.9e-324)"),
              ElementsAre("a=json 0.300000000000000041", "b=json 18446744073709551615",
                          "c=json 1e-400", "d=real 0.000000", "e=json 4.9e-324"));
}

TEST(ChromeJsonRoundTrip, BareWordsBecomeStringsAndNullStays) {
  EXPECT_THAT(arguments_again(R"("a": NaN, "b": -Infinity, "c": nul, "d": null, "e": 1e400)"),
              ElementsAre("a='NaN'", "b='-Infinity'", "c='nul'", "d=json null", "e='1e400'"));
}

TEST(ChromeJsonRoundTrip, NestedArgumentsAndRootMembersAreJson) {
  const std::string text = R"({"schemaVersion":1,"a":NaN,"b":[1,tru],"c":{"x":1e400},"a":-inf,
      "deviceProperties":[{"id":0,"name":"H200","x":NaN}],"traceName":nope,"displayTimeUnit":ns,
      "traceEvents":[)" + span("a", 5, 1, R"(,"args":{"x":[NaN],"y":{"z":tru},"w":[1, 2]})") +
                           "]}";
  const trace::Trace first = read_whole(text);
  const json document = json::parse(written(first));
  EXPECT_EQ(document["a"], "-inf");
  EXPECT_EQ(document["b"], "[1,tru]");
  EXPECT_EQ(document["c"], R"({"x":1e400})");
  EXPECT_EQ(document["deviceProperties"][0]["name"], "H200");
  EXPECT_TRUE(document["deviceProperties"][0]["x"].is_null());
  EXPECT_EQ(document["traceName"], "nope");
  EXPECT_EQ(document["displayTimeUnit"], "ns");
  const trace::Trace second = read_whole(written(first));
  EXPECT_EQ(written(second), written(first));
  EXPECT_FALSE(second.diagnostics.has_loss());
  EXPECT_THAT(arguments_of(second, 0),
              ElementsAre("x='[NaN]'", R"(y='{"z":tru}')", "w=json [1, 2]"));
}

TEST(ChromeJsonRoundTrip, ABaseThatTheReaderIgnoredMovesNothing) {
  const trace::Trace again = expect_same_again(R"({"baseTimeNanoseconds":1700000000000000000,
      "traceEvents":[{"ph":"X","name":"a","pid":1,"tid":2,"ts":1700000001000000.5,"dur":1}]})");
  EXPECT_EQ(again.ranks[0].origin.ns, 1'700'000'001'000'000'500);
  expect_same_again(R"({"baseTimeNanoseconds":0,
      "traceEvents":[{"ph":"X","name":"a","pid":1,"tid":2,"ts":1700000001000000.5,"dur":1}]})");
}

TEST(ChromeJsonRoundTrip, TheLastBaseCounts) {
  const trace::Trace again = expect_same_again(R"({"baseTimeNanoseconds":1600000000000000000,
      "baseTimeNanoseconds":"1700000000000000000",
      "traceEvents":[{"ph":"X","name":"a","pid":1,"tid":2,"ts":5,"dur":1}]})");
  EXPECT_EQ(again.ranks[0].origin.ns, 1'700'000'000'000'005'000);
}

TEST(ChromeJsonRoundTrip, ArrowsStayWithTheOuterOfEventsThatStartTogether) {
  const trace::Trace again = expect_same_again(
      document({span("forward", 10, 50), span("child", 10, 20), span("grandchild", 10, 5),
                span("next child", 30, 5), span("backward", 100, 50), span("child", 100, 50),
                span("late", 200, 9), arrow_end("s", 1, 40), arrow_end("f", 1, 204),
                arrow_end("s", 2, 20), arrow_end("f", 2, 200)}));
  EXPECT_THAT(flows_of(again), ElementsAre("fwdbwd forward -> late", "fwdbwd child -> late"));
}

TEST(ChromeJsonRoundTrip, ArrowsOfEventsThatOverlapWithoutNesting) {
  const trace::Trace again = expect_same_again(
      document({span("outer", 10, 100), span("first", 10, 20), span("second", 15, 30),
                span("third", 45, 5), span("empty", 60, 0), span("last", 200, 5),
                arrow_end("s", 1, 105), arrow_end("f", 1, 201), arrow_end("s", 2, 12),
                arrow_end("f", 2, 60), arrow_end("s", 3, 40), arrow_end("f", 3, 46)}));
  EXPECT_THAT(flows_of(again), ElementsAre("fwdbwd outer -> last", "fwdbwd first -> empty",
                                           "fwdbwd second -> third"));
}

TEST(ChromeJsonRoundTrip, ProcessesThatShareACorrelationKeepTheirLaunches) {
  std::string events;
  for (const std::string_view pid : {"1", "2"}) {
    const std::string ids = R"(,"pid":)" + std::string(pid) + R"(,"tid":7,"ts":1)" +
                            std::string(pid) + R"(,"dur":1,"args":{"correlation":5}})";
    events += R"({"ph":"X","cat":"cuda_runtime","name":"launch )" + std::string(pid) + "\"" + ids;
    events += R"(,{"ph":"X","cat":"kernel","name":"k )" + std::string(pid) + R"(","pid":0,"tid":)" +
              std::string(pid) + R"(,"ts":2)" + std::string(pid) +
              R"(,"dur":1,"args":{"correlation":5}},)";
  }
  trace::Trace trace = read_whole(R"({"schemaVersion":1,"traceEvents":[)" + events + "{}]}");
  trace.flows = {};
  trace.flows.push_back({trace::EventId{0}, trace::EventId{1}, trace::Flow::Kind::kLaunch, {}});
  trace.flows.push_back({trace::EventId{2}, trace::EventId{3}, trace::Flow::Kind::kLaunch, {}});
  const json document = json::parse(written(trace));
  std::vector<int> ids;
  for (const json& record : document["traceEvents"]) {
    if (record.contains("id")) ids.push_back(record["id"]);
  }
  EXPECT_THAT(ids, ElementsAre(6, 6, 7, 7));
}

TEST(ChromeJsonRoundTrip, KinetoKnownByItsCategoriesStaysKineto) {
  const std::string text = "[" + span("a", 5, 1, R"(,"cat":"cpu_op")") + "]";
  EXPECT_EQ(read_whole(text).ranks[0].format, "kineto");
  expect_same_again(text);
  trace::Trace trace = read_whole("[" + span("a", 5, 1) + "]");
  trace.ranks[0].format = "kineto";
  EXPECT_EQ(read_whole(written(trace)).ranks[0].format, "kineto");
}

TEST(ChromeJsonRoundTrip, EveryRootMemberOfManyComesBack) {
  std::string text = "{";
  for (int i = 0; i < 2'000; ++i) text += "\"k" + std::to_string(i) + "\":1,";
  text += R"("traceEvents":[)" + span("a", 5, 1) + "]}";
  EXPECT_EQ(json::parse(written(read_whole(text))).size(), 2'002U);
}

TEST(ChromeJsonRoundTrip, OddTraces) {
  for (const std::string_view text : {
           R"([{"ph":"X","name":"\ud800 \u0000 \"","pid":"\\","tid":null,"ts":1.0000005,"dur":0}])",
           R"([{"ph":"B","name":"a","ts":5,"pid":1,"tid":1,"args":{"k\"":"v\\"}},
               {"ph":"E","ts":9,"pid":1,"tid":1,"args":{"e":{}}}])",
           R"([{"ph":"i","name":"","ts":-5,"pid":1.5,"tid":1e3,"s":"g"},
               {"ph":"C","name":"c","ts":7,"pid":-1,"args":{"":NaN,"x":0.1}}])",
           R"({"traceEvents":[{"ph":"X","ts":0,"dur":1},{"ph":"X","ts":3,"dur":1e-6}]})",
           R"({"displayTimeUnit":7,"traceEvents":[{"ph":"X","ts":3.9e15,"dur":1,"name":"far"}]})",
           R"({"distributedInfo":{"rank":5},"traceEvents":[{"ph":"X","ts":1,"dur":1,
               "cat":"kernel","name":"k","pid":0,"tid":7,"args":{"correlation":"3"}}]})",
       }) {
    expect_same_again(text);
  }
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
