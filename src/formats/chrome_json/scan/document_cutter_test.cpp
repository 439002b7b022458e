// How much of a stream the cutter holds, whatever stands in it.
#include "formats/chrome_json/scan/document_cutter.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"
#include "io/byte_source.h"

namespace lockstep::formats::chrome_json {
namespace {

constexpr std::size_t kChunkBytes = 16 * 1024;

// Takes every event and notes how large the window was.
class WindowWatcher : public DocumentVisitor {
 public:
  void on_root_value(std::string_view, std::string_view) override { ++root_values; }
  void on_large_root_value(std::string_view, std::string_view piece, bool) override {
    largest_piece = std::max(largest_piece, piece.size());
    passed_over += piece.size();
  }
  std::size_t on_events(WindowBuffer& window, std::span<const EventCut> cuts) override {
    largest = std::max(largest, window.size());
    events += cuts.size();
    return cuts.size();
  }

  std::size_t largest = 0;
  std::size_t events = 0;
  std::size_t root_values = 0;
  std::size_t largest_piece = 0;
  std::size_t passed_over = 0;
};

WindowWatcher watched(const std::string& json) {
  io::MemorySource source{json};
  io::ReadAhead chunks(source, kChunkBytes);
  WindowWatcher watcher;
  Diagnostics diagnostics;
  DocumentCutter cutter(chunks, watcher, diagnostics);
  EXPECT_TRUE(cutter.run().ok());
  return watcher;
}

constexpr std::string_view kEvent = R"({"ph":"X","ts":1,"dur":1,"name":"k","pid":1,"tid":1})";

std::string with_blank(std::size_t blank) {
  return "{\"traceEvents\":[" + std::string(kEvent) + std::string(blank, ' ') + "," +
         std::string(kEvent) + std::string(blank, '\n') + "]}";
}

TEST(DocumentCutter, BlankBehindAnEventIsNotHeld) {
  const WindowWatcher few = watched(with_blank(1'000'000));
  const WindowWatcher many = watched(with_blank(4'000'000));
  EXPECT_EQ(few.events, 2U);
  EXPECT_EQ(many.events, 2U);
  EXPECT_EQ(many.largest, few.largest);
  EXPECT_LE(many.largest, 10 * kChunkBytes);
}

TEST(DocumentCutter, BlankBehindAnEventChangesNothing) {
  const trace::Trace trace = read_every_way(with_blank(70'000));
  EXPECT_EQ(trace.events.size(), 2U);
  EXPECT_TRUE(trace.diagnostics.entries().empty());
}

TEST(DocumentCutter, BlankBehindADamagedEventChangesNothing) {
  const std::string blank(70'000, ' ');
  const std::string event(kEvent);
  for (const std::string damaged :
       {R"({"ph":"X","ts":2,"dur":1,"a":}})", R"({"ph":"X","ts":2,"dur":1,"name":"x"y"})"}) {
    for (const std::string& end : {"," + event + "]}", std::string()}) {
      const std::string json = "{\"traceEvents\":[" + event + "," + damaged;
      const trace::Trace without = read_every_way(json + end);
      const trace::Trace with = read_every_way(json + blank + end);
      EXPECT_EQ(with.events.size(), without.events.size()) << json + end;
    }
  }
}

TEST(DocumentCutter, BlankBeforeTheFirstKeyChangesNothing) {
  const std::string blank(200'000, ' ');
  const std::string json =
      "{" + blank + "\"traceEvents\"" + blank + ":" + blank + "[" + std::string(kEvent) + "]}";
  shared::ReadOptions options;
  options.chunk_bytes = 1'000;
  const Result<trace::Trace> read = try_read(json, options);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().events.size(), 1U);
  EXPECT_TRUE(read.value().diagnostics.entries().empty());
}

// A value of the root that is larger than what is kept.
std::string large_value(std::size_t bytes) {
  std::string list = "[";
  const std::string element = R"({"id":"\u00e9 \"","n":[1,2,{"x":"}"}]},)";
  const std::string filling = "\"\xC3\xA9" + std::string(10'000, 'x') + "\",";
  while (list.size() < bytes) list += element + filling;
  return list + "0]";
}

TEST(DocumentCutter, LargeValuesOfTheRootArePassedOverInPieces) {
  const std::string large = large_value(34'000'000);
  const WindowWatcher watcher = watched("{\"a\":1,\"b\":" + large + ",\"c\":2,\"traceEvents\":[" +
                                        std::string(kEvent) + "],\"d\":" + large + ",\"e\":3}");
  EXPECT_EQ(watcher.events, 1U);
  EXPECT_EQ(watcher.root_values, 3U);
  EXPECT_EQ(watcher.passed_over, 2 * large.size());
  // The first piece is what was read before the value was known to be large.
  EXPECT_LE(watcher.largest_piece, (std::size_t{32} << 20) + kChunkBytes);
  EXPECT_LE(watcher.largest, 40 * kChunkBytes);
}

TEST(DocumentCutter, WhatStandsBesideALargeValueOfTheRootIsKnown) {
  const std::string large = large_value(17'000'000);
  const std::string json = "{\"notes\":" + large +
                           R"(,"baseTimeNanoseconds":1700000000000000000,)"
                           R"("distributedInfo":{"rank":3},"traceEvents":[)" +
                           std::string(kEvent) + "],\"more\":" + large + "}";
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok());
  const trace::Trace& trace = read.value();
  EXPECT_EQ(trace.events.size(), 1U);
  EXPECT_EQ(trace.ranks[0].number, 3);
  EXPECT_EQ(trace.ranks[0].origin.ns, 1'700'000'000'000'001'000);
  EXPECT_THAT(findings(trace), testing::ElementsAre("oversized_value x2"));
  EXPECT_FALSE(trace.diagnostics.has_loss());
  EXPECT_EQ(trace.diagnostics.entries()[0].example, "notes");
}

TEST(DocumentCutter, ALargeValueThatGivesAFactIsDataLoss) {
  const std::string events = ",\"traceEvents\":[" + std::string(kEvent) + "]}";
  const std::string large = large_value(17'000'000);
  for (const std::string_view key :
       {"baseTimeNanoseconds", "distributedInfo", "deviceProperties", "computeProperties"}) {
    const Result<trace::Trace> read = try_read("{\"" + std::string(key) + "\":" + large + events);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.value().events.size(), 1U);
    EXPECT_THAT(findings(read.value()), testing::ElementsAre("unread_header x1"));
    EXPECT_TRUE(read.value().diagnostics.has_loss());
  }
}

// A value that lost its end holds all events behind it.
TEST(DocumentCutter, EventsInALargeValueOfTheRootAreFound) {
  const std::string event(kEvent);
  const std::string large = large_value(17'000'000);
  const std::string open = "{\"a\":{\"b\":" + large;
  for (const std::string& json :
       {open + ",\"traceEvents\":[" + event + "," + event + "]}",
        open + " \"traceEvents\":[" + event + "," + event + "]}",
        open + "}\"\",\"traceEvents\":[" + event + "," + event + "]}",
        open + "}:" + large + ",\"traceEvents\":[" + event + "," + event + "]}"}) {
    const Result<trace::Trace> read = try_read(json);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(read.value().events.size(), 2U);
    EXPECT_TRUE(read.value().diagnostics.has_loss());
  }
}

TEST(DocumentCutter, ALargeValueOfTheRootThatIsCutOffIsSaid) {
  const std::string json =
      "{\"traceEvents\":[" + std::string(kEvent) + "],\"a\":" + large_value(17'000'000);
  const Result<trace::Trace> cut = try_read(std::string_view(json).substr(0, json.size() - 1));
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut.value().events.size(), 1U);
  EXPECT_TRUE(cut.value().diagnostics.has_loss());
}

TEST(DocumentCutter, DamagedTextInALargeValueOfTheRootIsDataLoss) {
  std::string json =
      "{\"a\":" + large_value(17'000'000) + ",\"traceEvents\":[" + std::string(kEvent) + "]}";
  json[json.find("id", 16'000'000)] = '\0';
  const Result<trace::Trace> read = try_read(json);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(findings(read.value()),
              testing::ElementsAre("damaged_text x1", "oversized_value x1"));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
