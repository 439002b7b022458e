// How much of a stream the cutter holds, whatever stands in it.
#include "formats/chrome_json/document_cutter.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"
#include "io/byte_source.h"

namespace lockstep::chrome_json {
namespace {

constexpr std::size_t kChunkBytes = 16 * 1024;

// Takes every event and notes how large the window was.
class WindowWatcher : public DocumentVisitor {
 public:
  void on_root_value(std::string_view, std::string_view) override {}
  std::size_t on_events(WindowBuffer& window, std::span<const EventCut> cuts) override {
    largest = std::max(largest, window.size());
    events += cuts.size();
    return cuts.size();
  }

  std::size_t largest = 0;
  std::size_t events = 0;
};

WindowWatcher watched(const std::string& json) {
  MemorySource source{json};
  ReadAhead chunks(source, kChunkBytes);
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
  const Trace trace = read_every_way(with_blank(70'000));
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
      const Trace without = read_every_way(json + end);
      const Trace with = read_every_way(json + blank + end);
      EXPECT_EQ(with.events.size(), without.events.size()) << json + end;
    }
  }
}

TEST(DocumentCutter, BlankBeforeTheFirstKeyChangesNothing) {
  const std::string blank(200'000, ' ');
  const std::string json =
      "{" + blank + "\"traceEvents\"" + blank + ":" + blank + "[" + std::string(kEvent) + "]}";
  ReadOptions options;
  options.chunk_bytes = 1'000;
  const Result<Trace> read = try_read(json, options);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().events.size(), 1U);
  EXPECT_TRUE(read.value().diagnostics.entries().empty());
}

}  // namespace
}  // namespace lockstep::chrome_json
