// Events whose times are missing, zero, negative or absurd: which are kept, and what is said.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/kernels_for_test.h"
#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ChromeJsonReaderLostTimes, BareNotNumbersAreMissingNumbers) {
  for (const std::string_view word :
       {"inf", "-inf", "nan", "NaN", "Infinity", "-Infinity", "null"}) {
    SCOPED_TRACE(word);
    const std::string value(word);
    const std::string lost_time = kernel("t", "\"ts\":" + value + ",\"dur\":1");
    const std::string lost_duration = kernel("d", "\"ts\":5,\"dur\":" + value);
    const std::string argument =
        kernel("a", "\"ts\":6,\"dur\":1,\"args\":{\"bandwidth\":" + value + ",\"stream\":7}");
    const std::string json = document({at("first", "1"), lost_time, lost_duration, argument});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(brief(trace),
                ElementsAre("first kernel device 0/7 0+1000", "d kernel device 0/7 4000+0",
                            "a kernel device 0/7 5000+1000"));
    EXPECT_THAT(findings(trace),
                ElementsAre("missing_time x1 " + place_of(lost_time, json),
                            "missing_duration x1 " + place_of(lost_duration, json)));
    const std::string kept = word == "null" ? "bandwidth=json null" : "bandwidth='" + value + "'";
    EXPECT_THAT(arguments_of(trace, 2), ElementsAre(kept, "stream=7"));
  }
}

TEST(ChromeJsonReaderLostTimes, MissingTimesAndDurationsAreSaid) {
  const std::string no_time = kernel("t", "\"dur\":1");
  const std::string word = kernel("w", "\"ts\":\"soon\",\"dur\":1");
  const std::string no_duration = kernel("d", "\"ts\":5");
  const std::string json = document({at("first", "1"), no_time, word, no_duration});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("first", "d"));
  EXPECT_THAT(findings(trace), ElementsAre("missing_time x2 " + place_of(no_time, json),
                                           "missing_duration x1 " + place_of(no_duration, json)));
}

// A block that was removed leaves "dur": 0511 of "dur": 0.912} ... "dur": 1.511}, and a run of
// zeros may lie over as much.
TEST(ChromeJsonReaderLostTimes, ANumberWithALeadingZeroIsMissing) {
  const std::string lost_time = kernel("t", "\"ts\":0000000000005,\"dur\":1");
  const std::string before_zero = kernel("n", "\"ts\":-007,\"dur\":1");
  const std::string lost_duration = kernel("d", "\"ts\":5,\"dur\": 0511");
  const std::string small = kernel("s", "\"ts\":6,\"dur\":0.000000001");
  const std::string quoted = kernel("q", "\"ts\":\"000000000007\",\"dur\":0");
  const std::string json =
      document({at("first", "1"), lost_time, before_zero, lost_duration, small, quoted});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("first", "d", "s", "q"));
  EXPECT_THAT(findings(trace), ElementsAre("missing_time x2 " + place_of(lost_time, json),
                                           "missing_duration x1 " + place_of(lost_duration, json)));
}

TEST(ChromeJsonReaderLostTimes, ALostTimeOfZeroIsDroppedAndSaid) {
  const std::string zero = at("z", "0");
  const std::string json =
      document({at("a", "1727743512000000"), zero, at("y", "0.000"), at("b", "1727743512000001")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b"));
  EXPECT_THAT(findings(trace), ElementsAre("zero_time x2 " + place_of(zero, json)));
}

TEST(ChromeJsonReaderLostTimes, AnyNumberOfLostTimesInFrontLeaveTheOthersInRange) {
  // More of them than are looked at for the origin, and more than a chunk holds.
  std::string json = "[";
  for (int i = 0; i < 200; ++i) {
    json += i % 2 == 0 ? at("z", "0") + ",\n"
                       : R"({"ph":"M","name":"process_name","pid":1,"ts":0,"args":{"name":"p"}},)";
  }
  json += at("a", "1727743512000000") + "," + at("b", "1727743512000001") + "]";
  shared::ReadOptions small;
  small.chunk_bytes = 1000;
  const Result<trace::Trace> read = try_read(json, small);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(brief(read.value()),
              ElementsAre("a kernel device 0/7 0+1000", "b kernel device 0/7 1000+1000"));
  EXPECT_THAT(findings(read.value()), ElementsAre("zero_time x100 @1"));
}

TEST(ChromeJsonReaderLostTimes, ATimeOfZeroIsKeptWhereTheTraceBeginsNearZero) {
  const trace::Trace trace = read_every_way(document({at("z", "0"), at("a", "5")}));
  EXPECT_THAT(names_of_events(trace), ElementsAre("z", "a"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderLostTimes, NegativeDurationsAreDroppedAndSaid) {
  const std::string bad = kernel("n", "\"ts\":2,\"dur\":-0.001");
  const std::string json = document({at("a", "1"), bad, at("b", "3")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b"));
  EXPECT_THAT(findings(trace), ElementsAre("negative_duration x1 " + place_of(bad, json)));
}

TEST(ChromeJsonReaderLostTimes, ATimeHundredDaysAwayIsDroppedWhereverItStands) {
  const std::string_view origin = "1727743512000000";
  const std::string far = at("far", "1736383512000001");  // 100 days and a microsecond
  const std::string near = at("near", "1736383512000000");
  const std::string past = at("past", "17277435");
  for (const std::string& odd : {far, past}) {
    for (const std::string& json :
         {document({odd, at("a", origin), at("b", origin), at("c", origin)}),
          document({at("a", origin), odd, at("b", origin), at("c", origin)}),
          document({at("a", origin), at("b", origin), at("c", origin), odd})}) {
      const trace::Trace trace = read_every_way(json);
      EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b", "c"));
      EXPECT_THAT(findings(trace), ElementsAre("time_out_of_range x1 " + place_of(odd, json)));
      EXPECT_EQ(trace.ranks[0].origin.ns, 1'727'743'512'000'000'000);
    }
  }
  const std::string long_lasting = kernel("long", "\"ts\":1727743512000000,\"dur\":8640000000001");
  EXPECT_THAT(names_of_events(read_every_way(document({at("a", origin), long_lasting}))),
              ElementsAre("a"));
}

TEST(ChromeJsonReaderLostTimes, AbsurdNumbersAreNoTimes) {
  const std::string huge = at("h", "1e300");
  const std::string json = document(
      {huge, at("a", "1"), at("b", "99999999999999999999999999999999999999"), at("c", "2")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "c"));
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
