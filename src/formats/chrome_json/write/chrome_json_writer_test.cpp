// The Chrome JSON writer, read back with another JSON library.
#include "formats/chrome_json/write/chrome_json_writer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/chrome_json/write/written_sample_for_test.h"
#include "formats/shared/event_categories.h"

namespace lockstep::formats::chrome_json {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(ChromeJsonWriter, SpanHasEverything) {
  Sample sample;
  const trace::EventId event = sample.add("gemm", "kernel", kDevice, 3 * kUs, 2 * kUs, 5);
  const std::vector<trace::Argument> arguments = {
      trace::Argument::integer(sample.text("bytes"), -5),
      trace::Argument::real(sample.text("share"), 0.1),
      trace::Argument::real(sample.text("whole"), 2.0),
      trace::Argument::boolean(sample.text("pinned"), false),
      trace::Argument::string(sample.text("dtype"), sample.text("fp16")),
      trace::Argument::json(sample.text("grid"), sample.text("[1, 2, 3]")),
  };
  sample.trace.arguments.set(event, arguments);
  const json span = sample.records("X").at(0);
  EXPECT_EQ(span["name"], "gemm");
  EXPECT_EQ(span["cat"], "kernel");
  EXPECT_EQ(span["pid"], 0);
  EXPECT_EQ(span["tid"], 7);
  EXPECT_EQ(span["dur"], 2);
  EXPECT_EQ(span["args"], json::parse(R"({"bytes": -5, "share": 0.1, "whole": 2.0, "pinned": false,
      "dtype": "fp16", "grid": [1, 2, 3], "correlation": 5})"));
  EXPECT_TRUE(span["args"]["whole"].is_number_float());
}

TEST(ChromeJsonWriter, CorrelationAmongTheArgumentsIsNotRepeated) {
  for (const std::string_view key : {"correlation", "correlation_id"}) {
    Sample sample;
    const trace::EventId event = sample.add("gemm", "kernel", kDevice, 3 * kUs, 2 * kUs, 5);
    const std::vector<trace::Argument> arguments = {trace::Argument::integer(sample.text(key), 5)};
    sample.trace.arguments.set(event, arguments);
    EXPECT_EQ(sample.records("X").at(0)["args"], (json{{key, 5}}));
  }
}

TEST(ChromeJsonWriter, HeaderGivesBackTheMetadata) {
  Sample sample;
  sample.trace.ranks[0].metadata = {{"schemaVersion", "1"},
                                    {"deviceProperties", R"([{"id": 0, "name": "NVIDIA H200"}])"},
                                    {"distributedInfo", R"({"rank": 0})"},
                                    {"traceName", R"("x.json")"},
                                    {"schemaVersion", "2"}};
  const json document = sample.document();
  EXPECT_EQ(document["schemaVersion"], 2);
  EXPECT_EQ(document["deviceProperties"][0]["name"], "NVIDIA H200");
  EXPECT_EQ(document["distributedInfo"]["rank"], 0);
  EXPECT_EQ(document["displayTimeUnit"], "ms");
  EXPECT_EQ(document["traceName"], "x.json");
}

TEST(ChromeJsonWriter, ARankFromElsewhereIsWrittenDown) {
  Sample sample;
  sample.trace.ranks[0].number = 3;
  EXPECT_EQ(sample.document()["distributedInfo"]["rank"], 3);
}

TEST(ChromeJsonWriter, OtherFormatsBecomeKineto) {
  Sample sample;
  sample.trace.ranks[0].format = "nsys";
  sample.add("gemm", "", kDevice, kUs, kUs);
  sample.trace.events.kind[0] = trace::Kind::kCommunication;
  const json document = sample.document();
  EXPECT_EQ(document["schemaVersion"], 1);
  EXPECT_EQ(document["deviceProperties"], json::parse(R"([{"id": 0, "name": "NVIDIA H200"}])"));
  EXPECT_EQ(sample.records("X").at(0)["cat"], "collective_comm") << "its name tells nothing";
}

TEST(ChromeJsonWriter, StreamsOfOtherFormatsLieOnTheirDevice) {
  Sample sample;
  sample.trace.ranks[0].format = "nsys";
  sample.trace.processes[0].id = {sample.text("4711"), true};
  sample.trace.devices[0].id = sample.text("3");
  sample.add("ncclDevKernel_AllReduce_Sum", "", kDevice, kUs, kUs);
  sample.trace.events.kind[0] = trace::Kind::kCommunication;
  const json record = sample.records("X").at(0);
  EXPECT_EQ(record["pid"], 3);
  EXPECT_EQ(record["tid"], 7);
  EXPECT_EQ(record["cat"], "kernel");
}

TEST(ChromeJsonWriter, ACallThatWaitsStaysOnTheHost) {
  Sample sample;
  sample.trace.ranks[0].format = "ascend_text";
  sample.add("aclrtSynchronizeStream", "", kHost, kUs, kUs);
  sample.trace.events.kind[0] = trace::Kind::kSynchronize;
  const json record = sample.records("X").at(0);
  EXPECT_EQ(record["cat"], "synchronize");
  const shared::CategoryMeaning meaning = shared::meaning_of_category("synchronize");
  EXPECT_EQ(meaning.kind, trace::Kind::kSynchronize);
  EXPECT_EQ(meaning.side, trace::Track::Side::kHost);
}

TEST(ChromeJsonWriter, TwoProcessesOnOneStreamHaveTwoLanes) {
  Sample sample;
  sample.trace.ranks[0].format = "nsys";
  trace::Track other = sample.trace.tracks[trace::index_of(kDevice)];
  const trace::TrackId second{static_cast<std::uint32_t>(sample.trace.tracks.size())};
  other.process = trace::ProcessId{static_cast<std::uint32_t>(sample.trace.processes.size())};
  sample.trace.processes.push_back(sample.trace.processes[0]);
  sample.trace.tracks.push_back(other);
  sample.add("a", "", kDevice, kUs, kUs);
  sample.add("b", "", second, kUs, kUs);
  const std::vector<json> records = sample.records("X");
  EXPECT_EQ(records.at(0)["pid"], records.at(1)["pid"]);
  EXPECT_NE(records.at(0)["tid"], records.at(1)["tid"]);
}

TEST(ChromeJsonWriter, ACategoryThatWouldMisleadIsReplaced) {
  Sample sample;
  sample.trace.ranks[0].format = "perfetto";
  sample.add("gemm", "kernel_dispatch", kDevice, kUs, kUs);
  sample.trace.events.kind[0] = trace::Kind::kKernel;
  EXPECT_EQ(sample.records("X").at(0)["cat"], "kernel");
}

TEST(ChromeJsonWriter, ProcessesAndTracksAreNamed) {
  const std::vector<json> records = Sample().records("M");
  const auto has = [&](std::string_view text) {
    return std::ranges::find(records, json::parse(text)) != records.end();
  };
  EXPECT_TRUE(has(R"({"ph": "M", "name": "process_name", "pid": 0, "args": {"name": "python3"}})"));
  EXPECT_TRUE(
      has(R"({"ph": "M", "name": "process_labels", "pid": 0, "args": {"labels": "GPU 0"}})"));
  EXPECT_TRUE(has(R"({"ph": "M", "name": "process_sort_index", "pid": 10,
                      "args": {"sort_index": 10}})"));
  EXPECT_TRUE(has(R"json({"ph": "M", "name": "thread_name", "pid": 10, "tid": 11,
                          "args": {"name": "thread 11 (python3)"}})json"));
  EXPECT_TRUE(has(R"({"ph": "M", "name": "thread_sort_index", "pid": 10, "tid": 11,
                      "args": {"sort_index": 11}})"));
}

TEST(ChromeJsonWriter, IdsKeepTheirKind) {
  Sample sample;
  sample.trace.processes[0].id = {sample.text("Spa\"ns"), false};
  sample.trace.tracks[0].id = {sample.text("-1"), true};
  sample.trace.tracks[1].id = {sample.text("007"), true};  // no number to JSON
  sample.trace.processes[1].id = {kEmptyString, true};     // the file had none
  sample.add("a", "", kHost, kUs, kUs);
  sample.add("b", "", kDevice, kUs, kUs);
  const std::vector<json> spans = sample.records("X");
  EXPECT_EQ(spans[0]["pid"], "Spa\"ns");
  EXPECT_EQ(spans[0]["tid"], -1);
  EXPECT_EQ(spans[1]["tid"], "007");
  EXPECT_FALSE(spans[1].contains("pid"));
}

TEST(ChromeJsonWriter, NamesAreEscaped) {
  Sample sample;
  const std::string name = "q\" b\\ \n\t\r\x01 \xE6\xA0\xB8 end";
  sample.add(name, "", kHost, kUs, kUs);
  sample.add("bad \xFF", "", kHost, kUs, kUs);
  EXPECT_EQ(sample.records("X").at(0)["name"], name);
  EXPECT_EQ(sample.records("X").at(1)["name"], "bad \xEF\xBF\xBD");
  EXPECT_THAT(sample.bytes(), HasSubstr(R"(q\" b\\ \n\t\r\u0001 )"));
}

TEST(ChromeJsonWriter, InstantsAndCountersHaveTheirPhases) {
  Sample sample;
  sample.trace.events.add({{kUs},
                           {},
                           sample.text("mark"),
                           {},
                           kHost,
                           trace::Kind::kAnnotation,
                           trace::Shape::kInstant});
  const trace::EventId counter = sample.trace.events.add(
      {{kUs}, {}, sample.text("memory"), {}, kHost, trace::Kind::kCounter, trace::Shape::kCounter});
  const std::vector<trace::Argument> arguments = {
      trace::Argument::integer(sample.text("bytes"), 7)};
  sample.trace.arguments.set(counter, arguments);
  EXPECT_EQ(sample.records("i").at(0)["s"], "t");
  EXPECT_FALSE(sample.records("i").at(0).contains("dur"));
  EXPECT_EQ(sample.records("C").at(0)["args"], json::parse(R"({"bytes": 7})"));
}

TEST(ChromeJsonWriter, LaunchFlowsAreNamedByTheirCorrelation) {
  Sample sample;
  sample.trace.ranks[0].metadata = {{"baseTimeNanoseconds", "1700000000000000000"}};
  const trace::EventId launch = sample.add("launch", "cuda_runtime", kHost, kUs, kUs, 5);
  const trace::EventId first = sample.add("k1", "kernel", kDevice, 2 * kUs, kUs, 5);
  const trace::EventId second = sample.add("k2", "kernel", kDevice, 3 * kUs, kUs, 5);
  sample.add_flow(launch, first, trace::Flow::Kind::kLaunch);
  sample.add_flow(launch, second, trace::Flow::Kind::kLaunch);
  EXPECT_EQ(sample.records("s"), (std::vector<json>{json::parse(
                                     R"({"ph": "s", "id": 5, "pid": 10, "tid": 11, "ts": 1.5,
                                         "cat": "ac2g", "name": "ac2g"})")}));
  const std::vector<json> ends = sample.records("f");
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[1], json::parse(R"({"ph": "f", "bp": "e", "id": 5, "pid": 0, "tid": 7, "ts": 3.5,
                                     "cat": "ac2g", "name": "ac2g"})"));
}

TEST(ChromeJsonWriter, OtherFlowsGetIdsOfTheirOwn) {
  Sample sample;
  const trace::EventId a = sample.add("forward", "cpu_op", kHost, kUs, kUs, 5);
  const trace::EventId b = sample.add("backward", "cpu_op", kHost, 2 * kUs, kUs);
  sample.add_flow(a, b, trace::Flow::Kind::kOther, "fwdbwd");
  sample.add_flow(a, b, trace::Flow::Kind::kLaunch);
  sample.add_flow(a, trace::kNoEvent, trace::Flow::Kind::kOther);
  sample.add_flow(b, a, trace::Flow::Kind::kOther);
  const std::vector<json> starts = sample.records("s");
  const std::vector<json> ends = sample.records("f");
  ASSERT_EQ(starts.size(), 3U);
  ASSERT_EQ(ends.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(starts[i]["id"], 6 + i);
    EXPECT_EQ(ends[i]["id"], 6 + i);
  }
  EXPECT_EQ(starts[0]["cat"], "fwdbwd");
  EXPECT_EQ(starts[1]["cat"], "ac2g");
  EXPECT_EQ(ends[2]["name"], "flow");
}

TEST(ChromeJsonWriter, RanksOfOneMergedFileAreOneFileAgain) {
  Sample sample;
  sample.trace.ranks.push_back(sample.trace.ranks[0]);
  EXPECT_TRUE(is_one_chrome_file(sample.trace));
  for (trace::Rank& rank : sample.trace.ranks) rank.format = "rocpd";
  EXPECT_FALSE(is_one_chrome_file(sample.trace));
}

TEST(ChromeJsonWriter, TwoRanksAreRefused) {
  Sample sample;
  sample.trace.ranks.push_back(sample.trace.ranks[0]);
  sample.trace.ranks[1].source = "y.json";
  io::MemorySink sink;
  const Status status = write_chrome_json(sample.trace, sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kUsage);
  EXPECT_EQ(status.error().message, "Chrome JSON holds one rank; convert the inputs one by one");
  EXPECT_TRUE(sink.bytes().empty());
}

class FullSink : public io::ByteSink {
 public:
  explicit FullSink(std::size_t room) : room_(room) {}
  Status write(std::string_view bytes) override {
    ++calls;
    if (bytes.size() > room_) return output_error("x", "no space");
    room_ -= bytes.size();
    return {};
  }
  Status close() override { return {}; }

  int calls = 0;

 private:
  std::size_t room_;
};

TEST(ChromeJsonWriter, TheErrorOfTheSinkIsPassedOnAndEndsTheWriting) {
  Sample sample;
  for (int i = 0; i < 100'000; ++i) sample.add("a", "", kHost, kUs * i, kUs);
  for (const std::size_t room : {std::size_t{0}, std::size_t{3'000'000}}) {
    FullSink sink(room);
    const Status status = write_chrome_json(sample.trace, sink);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().message, "no space");
    EXPECT_EQ(sink.calls, room == 0 ? 1 : 3);
  }
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
