// Documents around the events: objects and lists, members in any order, any whitespace.
#include <new>
#include <span>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"
#include "formats/chrome_json/sample_trace_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kFirst =
    R"({"ph":"X","cat":"cpu_op","name":"first","pid":1,"tid":2,"ts":10,"dur":5})";
constexpr std::string_view kSecond =
    R"({"ph":"X","cat":"cpu_op","name":"second","pid":1,"tid":2,"ts":20,"dur":5})";

std::string events(std::string_view a = kFirst, std::string_view b = kSecond) {
  return "[" + std::string(a) + "," + std::string(b) + "]";
}

// Has no memory for what is behind its bytes.
class ShortSource : public io::MemorySource {
 public:
  using io::MemorySource::MemorySource;
  [[nodiscard]] Result<std::size_t> read(std::span<char> buffer) override {
    auto got = io::MemorySource::read(buffer);
    if (got.value() == 0) throw std::bad_alloc();
    return got;
  }
};

std::string error_of(std::string_view json) {
  const Result<trace::Trace> read = try_read_every_way(json);
  return read.ok() ? "no error" : read.error().text();
}

void expect_both(const trace::Trace& trace) {
  EXPECT_THAT(brief(trace),
              ElementsAre("first host_op host 1/2 0+5000", "second host_op host 1/2 10000+5000"));
}

TEST(ChromeJsonReaderDocument, AnObjectWithTraceEventsIsRead) {
  const trace::Trace trace = read_every_way("{\"traceEvents\":" + events() + "}");
  expect_both(trace);
  EXPECT_THAT(findings(trace), IsEmpty());
  ASSERT_EQ(trace.ranks.size(), 1U);
  EXPECT_EQ(trace.ranks[0].source, "sample.json");
}

TEST(ChromeJsonReaderDocument, ABareListIsRead) {
  const trace::Trace trace = read_every_way(events());
  expect_both(trace);
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderDocument, TraceEventsMayStandAnywhereInTheRoot) {
  const std::string a = R"("a":{"b":[1,{"c":"]}"}],"d":null})";
  const std::string z = R"("z":"\"traceEvents\":[{\"ph\":1}]")";
  const std::string list = "\"traceEvents\":" + events();
  for (const std::string& json :
       {"{" + list + "," + a + "," + z + "}", "{" + a + "," + list + "," + z + "}",
        "{" + a + "," + z + "," + list + "}"}) {
    SCOPED_TRACE(json);
    const trace::Trace trace = read_every_way(json);
    expect_both(trace);
    EXPECT_THAT(findings(trace), IsEmpty());
    ASSERT_EQ(trace.ranks[0].metadata.size(), 2U);
    EXPECT_EQ(trace.ranks[0].metadata[0].key, "a");
    EXPECT_EQ(trace.ranks[0].metadata[0].json, R"({"b":[1,{"c":"]}"}],"d":null})");
    EXPECT_EQ(trace.ranks[0].metadata[1].key, "z");
  }
}

TEST(ChromeJsonReaderDocument, TwoListsOfEventsAreBothReadAndItIsSaid) {
  const std::string json = "{\"traceEvents\":[" + std::string(kFirst) +
                           "],\"x\":1,\"traceEvents\":[" + std::string(kSecond) + "]}";
  const trace::Trace trace = read_every_way(json);
  expect_both(trace);
  const std::string second = "[" + std::string(kSecond);
  EXPECT_THAT(findings(trace), ElementsAre("repeated_event_array x1 " + place_of(second, json)));
}

TEST(ChromeJsonReaderDocument, AListOfEventsUnderAnotherNameIsReadAndItIsSaid) {
  const std::string json = "{\"a\":[1],\"b\":[{\"c\":1}],\"events\":" + events() + "}";
  const trace::Trace trace = read_every_way(json);
  expect_both(trace);
  EXPECT_THAT(findings(trace), ElementsAre("unnamed_event_array x1 " + place_of("[{\"ph", json)));
}

TEST(ChromeJsonReaderDocument, AByteOrderMarkAndWhitespaceAroundTheDocumentAreSkipped) {
  const trace::Trace trace =
      read_every_way("\xEF\xBB\xBF \r\n\t{ \"traceEvents\" : " + events() + " }\r\n\t ");
  expect_both(trace);
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderDocument, PrettyAndCompactTextGiveTheSameTrace) {
  const trace::Trace pretty = read_every_way(sample_trace(SampleStyle::kPretty).json);
  const trace::Trace compact = read_every_way(sample_trace(SampleStyle::kCompact).json);
  EXPECT_EQ(brief(pretty), brief(compact));
  EXPECT_EQ(flows_of(pretty), flows_of(compact));
  EXPECT_EQ(steps_of(pretty), steps_of(compact));
  EXPECT_THAT(findings(pretty), IsEmpty());
  EXPECT_EQ(pretty.ranks[0].origin.ns, compact.ranks[0].origin.ns);
}

TEST(ChromeJsonReaderDocument, MembersOfAnEventMayComeInAnyOrder) {
  const trace::Trace trace = read_every_way(
      document({R"({"args":{"correlation":7,"stream":3},"dur":5,"ts":10,"tid":3,"pid":0,)"
                R"("name":"k","cat":"kernel","ph":"X"})",
                R"({"args":{"correlation":7},"dur":1,"ts":8,"tid":3,"pid":9,)"
                R"("name":"cudaLaunchKernel","cat":"cuda_runtime","ph":"X"})"}));
  EXPECT_THAT(brief(trace), ElementsAre("k kernel device 0/3 0+5000",
                                        "cudaLaunchKernel runtime_call host 9/3 -2000+1000"));
  EXPECT_THAT(flows_of(trace), ElementsAre("launch cudaLaunchKernel -> k"));
}

TEST(ChromeJsonReaderDocument, TheFormatIsKinetoByHeaderOrByCategory) {
  const std::string plain = R"([{"ph":"X","cat":"a","name":"n","pid":1,"tid":2,"ts":1,"dur":1}])";
  EXPECT_EQ(read_every_way(plain).ranks[0].format, "chrome");
  EXPECT_EQ(read_every_way(events()).ranks[0].format, "kineto");
  EXPECT_EQ(read_every_way("{\"schemaVersion\":1,\"traceEvents\":" + plain + "}").ranks[0].format,
            "kineto");
}

TEST(ChromeJsonReaderDocument, BaseTimeIsAddedWhereverItStands) {
  const std::string base = "\"baseTimeNanoseconds\":1727743512000000000";
  for (const std::string& json : {"{" + base + ",\"traceEvents\":" + events() + "}",
                                  "{\"traceEvents\":" + events() + "," + base + "}"}) {
    const trace::Trace trace = read_every_way(json);
    expect_both(trace);
    EXPECT_EQ(trace.ranks[0].origin.ns, 1'727'743'512'000'010'000);
    EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kEpoch);
  }
}

TEST(ChromeJsonReaderDocument, BaseTimeIsNotAddedToTimesSinceTheEpoch) {
  const std::string event =
      R"({"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":2,"ts":1727743512000123.456,"dur":5})";
  const trace::Trace trace = read_every_way(
      "{\"baseTimeNanoseconds\":1727740800000000000,\"traceEvents\":[" + event + "]}");
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'727'743'512'000'123'456);
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kEpoch);
  EXPECT_THAT(findings(trace), ElementsAre("base_time_ignored x1"));
}

TEST(ChromeJsonReaderDocument, ABaseTimeBeyond64BitsIsNotAdded) {
  for (const char* base : {"9223372036854775807", "9223372036000000000", "-9223372036854775808"}) {
    const trace::Trace trace = read_every_way("{\"baseTimeNanoseconds\":" + std::string(base) +
                                              ",\"traceEvents\":" + events() + "}");
    EXPECT_EQ(trace.ranks[0].origin.ns, 10'000);
    EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kSession);
    EXPECT_THAT(findings(trace), ElementsAre("origin_out_of_range x1"));
  }
}

TEST(ChromeJsonReaderDocument, TimesWithoutABaseHaveAnUnknownClock) {
  const trace::Trace trace = read_every_way(events());
  EXPECT_EQ(trace.ranks[0].origin.ns, 10'000);
  EXPECT_EQ(trace.ranks[0].origin.clock, Clock::kUnknown);
}

TEST(ChromeJsonReaderDocument, RankAndDeviceNamesAreTakenFromTheHeader) {
  const std::string kernel =
      R"({"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":1,"dur":1})";
  for (const std::string_view info :
       {R"({"backend": "nccl", "rank": 3, "ranks": "[0, 3]"})", R"({"rank":"3"})"}) {
    const trace::Trace trace = read_every_way(
        R"({"deviceProperties":[{"id":0,"name":"A"},{"id":1,"name":"B \u0041"}],"traceEvents":[)" +
        kernel + "],\"distributedInfo\":" + std::string(info) + "}");
    EXPECT_EQ(trace.ranks[0].number, 3);
    ASSERT_EQ(trace.devices.size(), 1U);
    EXPECT_EQ(trace.text(trace.devices[0].name), "B A");
  }
}

TEST(ChromeJsonReaderDocument, DocumentsWithoutEventsAreRefusedWithTheirReason) {
  EXPECT_THAT(error_of("{}"), HasSubstr("is JSON but holds no trace events"));
  EXPECT_THAT(error_of(R"({"a":[1,2],"b":{"traceEvents":[]}})"),
              HasSubstr("is JSON but holds no trace events"));
  EXPECT_THAT(error_of("[]"), HasSubstr("list of events is empty"));
  EXPECT_THAT(error_of("[1,2]"), HasSubstr("list of events is empty"));
  EXPECT_THAT(error_of(R"({"traceEvents":[]})"), HasSubstr("list of events is empty"));
  EXPECT_THAT(error_of(R"({"traceEvents":[{},{"a":1}]})"), HasSubstr("no event with a phase"));
  EXPECT_THAT(error_of(R"({"traceEvents":null})"), HasSubstr("holds no trace events"));
  EXPECT_THAT(error_of("hello"), HasSubstr("is not a trace in a known format"));
  EXPECT_THAT(error_of("{\"a\":"), HasSubstr("is not a trace in a known format"));
}

TEST(ChromeJsonReaderDocument, AListOfEventsInsideAnotherObjectIsNotSearchedFor) {
  const std::string json = "{\"trace\":{\"traceEvents\":" + events() + "}}";
  EXPECT_THAT(error_of(json), HasSubstr("holds no trace events"));
}

TEST(ChromeJsonReaderDocument, ManyEventsCrossEveryChunkBorder) {
  std::string json = "[";
  for (int i = 0; i < 300; ++i) {
    json += (i == 0 ? "" : ",\n") + std::string(R"({"ph":"X","cat":"kernel","name":"k)") +
            std::to_string(i % 17) + R"(","pid":0,"tid":)" + std::to_string(i % 3) +
            ",\"ts\":" + std::to_string(100 + i) + ".5,\"dur\":0.25}";
  }
  const trace::Trace trace = read_every_way(json + "]");
  EXPECT_EQ(trace.events.size(), 300U);
  EXPECT_EQ(trace.tracks.size(), 3U);
  EXPECT_EQ(brief(trace, 299), "k10 kernel device 0/2 299000+250");
}

TEST(ChromeJsonReaderDocument, ShortageOnItsThreadsIsThrownToTheCaller) {
  for (const std::string& json : {std::string(), events()}) {
    ShortSource source(json);
    trace::Trace trace;
    EXPECT_THROW((void)chrome_json_format().read(source, "sample.json", {}, trace), std::bad_alloc);
  }
}

TEST(ChromeJsonReaderDocument, FactsOfTheHeaderThatCannotBeReadAreDataLoss) {
  const std::string events =
      R"("traceEvents":[{"ph":"X","name":"a","pid":0,"tid":0,"ts":1,"dur":1}])";
  for (const std::string_view fact :
       {R"("baseTimeNanoseconds":"soon")", R"("baseTimeNanoseconds":17000x0000)",
        R"("baseTimeNanoseconds":{"a":1})", R"("baseTimeNanoseconds":true)",
        R"("baseTimeNanoseconds":1.5)", R"("distributedInfo":{"rank":0.5})",
        R"("baseTimeNanoseconds":99999999999999999999)", R"("distributedInfo":["rank"])",
        R"("distributedInfo":{"rank":"x"})", R"("distributedInfo":{"rank":[3]})",
        R"("deviceProperties":{"id":0})", R"("deviceProperties":[{"id":0,"name":7}])",
        R"("deviceProperties":[0])", R"("computeProperties":[{"id":[1],"name":"b"}])",
        R"("deviceProperties":[{"id":0,"name":"a","x":NoN}])"}) {
    const trace::Trace trace = read_every_way("{" + std::string(fact) + "," + events + "}");
    EXPECT_EQ(trace.events.size(), 1U);
    EXPECT_THAT(findings(trace), ElementsAre("unread_header x1")) << fact;
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
  for (const std::string_view fact :
       {R"("baseTimeNanoseconds":null)", R"("baseTimeNanoseconds":"1700000000000000000")",
        R"("distributedInfo":{})", R"("distributedInfo":{"rank":null})", R"("deviceProperties":[])",
        R"("deviceProperties":[{"id":0}])", R"("deviceProperties":[{"id":"a","name":"b"}])",
        R"("otherData":17x)", R"("baseTimeNanoseconds":"")", R"("distributedInfo":[])",
        R"("distributedInfo":{"rank":""})", R"("distributedInfo":{"rank":NaN})",
        R"("deviceProperties":{})", R"("deviceProperties":"")", R"("deviceProperties":[null,{}])",
        R"("deviceProperties":[{"id":0,"name":null},{"id":null,"name":"b"}])"}) {
    const trace::Trace trace = read_every_way("{" + std::string(fact) + "," + events + "}");
    EXPECT_THAT(findings(trace), IsEmpty()) << fact;
  }
}

// As they come out of programs that know no other numbers, or write those that are none as words.
TEST(ChromeJsonReaderDocument, FactsOfTheHeaderMayBeDecimalsBesideWords) {
  const trace::Trace trace = read_every_way(
      R"({"distributedInfo":{"x":-Infinity,"rank":3.0,"y":"\"NaN"},"baseTimeNanoseconds":1.7e18,)"
      R"("deviceProperties":[{"id":1.0,"name":"NaN B","x":NaN}],"traceEvents":[)"
      R"({"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":1,"dur":1}]})");
  EXPECT_EQ(trace.ranks[0].number, 3);
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'700'000'000'000'001'000);
  ASSERT_EQ(trace.devices.size(), 1U);
  EXPECT_EQ(trace.text(trace.devices[0].name), "NaN B");
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderDocument, ATraceOfDamagedEventsIsNotCalledEmpty) {
  const std::string event = R"({"ph":"X","name":"a","pid":0,"tid":0,"ts":1 "dur":1})";
  for (const std::string& json :
       {"{\"traceEvents\":[" + event + "," + event + "]}", "[" + event + "," + event + "]",
        "{\"traceEvents\"#[" + event + "]}"}) {
    const Result<trace::Trace> read = try_read_every_way(json);
    ASSERT_FALSE(read.ok()) << json;
    EXPECT_EQ(read.error().text(),
              "sample.json: is a damaged trace: none of its events can be read")
        << json;
  }
  const Result<trace::Trace> empty = try_read_every_way("{\"traceEvents\":[]}");
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(empty.error().text(), HasSubstr("is JSON but holds no trace events"));
  const Result<trace::Trace> garbage = try_read_every_way("{\"traceEvents\":[garbage]}");
  ASSERT_FALSE(garbage.ok());
  EXPECT_THAT(garbage.error().text(), HasSubstr("holds no trace event that can be read"));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
