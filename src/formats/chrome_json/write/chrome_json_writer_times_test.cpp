// Times in what the Chrome JSON writer writes: exact, and counted from where readers expect it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "formats/chrome_json/write/written_sample_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

TEST(ChromeJsonWriterTimes, TimesAreExactDecimals) {
  Sample sample;
  sample.trace.ranks[0].metadata = {{"baseTimeNanoseconds", "1700000000000000000"}};
  sample.add("a", "", kHost, 1'000, 12'345'678);  // 501 ns after the base
  sample.add("b", "", kHost, -499'500, 10);
  sample.add("c", "", kHost, 1, -2'000);
  const std::string bytes = sample.bytes();
  EXPECT_THAT(bytes, HasSubstr(R"("baseTimeNanoseconds": 1700000000000000000,)"));
  EXPECT_THAT(bytes, HasSubstr(R"("ts": 0.501, "dur": 12.345678})"));
  EXPECT_THAT(bytes, HasSubstr(R"("ts": 0.0005, "dur": 0.00001})"));
  EXPECT_THAT(bytes, HasSubstr(R"("ts": 0.500001, "dur": -0.002})"));
}

TEST(ChromeJsonWriterTimes, OriginIsSaidByTheFirstRecord) {
  Sample sample;
  sample.trace.ranks[0].metadata = {{"baseTimeNanoseconds", "1700000000000000000"}};
  sample.add("late", "", kHost, 5 * kUs, kUs);
  const json first = sample.document()["traceEvents"][0];
  EXPECT_EQ(first["ph"], "M");
  EXPECT_EQ(first["name"], "process_name");
  EXPECT_EQ(first["args"]["name"], "python3");
  EXPECT_EQ(first["ts"], 0.5);
}

TEST(ChromeJsonWriterTimes, ABaseThatWouldGiveZeroIsReplaced) {
  Sample sample;
  sample.trace.ranks[0].metadata = {{"baseTimeNanoseconds", "1700000000000000500"}};
  sample.add("a", "", kHost, 0, kUs);
  const json document = sample.document();
  EXPECT_EQ(document["baseTimeNanoseconds"], 1'699'999'999'000'000'000);
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 1000000.500, "dur")"));
}

TEST(ChromeJsonWriterTimes, ABaseFromWhichTimesWouldLookLikeTheEpochIsReplaced) {
  Sample sample;
  sample.trace.ranks[0].metadata = {{"baseTimeNanoseconds", "700000000000000500"}};
  sample.add("a", "", kHost, 0, kUs);
  EXPECT_EQ(sample.document()["baseTimeNanoseconds"], 1'699'999'999'000'000'000);
  sample.trace.ranks[0].metadata = {{"baseTimeNanoseconds", "700000000000000501"}};
  EXPECT_EQ(sample.document()["baseTimeNanoseconds"], 700'000'000'000'000'501);
}

TEST(ChromeJsonWriterTimes, OtherChromeFilesKeepAbsoluteTimesAndGetNoKinetoKeys) {
  Sample sample;
  sample.trace.ranks[0].format = "chrome";
  sample.trace.ranks[0].metadata = {{"displayTimeUnit", "\"ns\""}, {"otherData", "{}"}};
  sample.add("a", "", kHost, 0, kUs);
  const json document = sample.document();
  EXPECT_EQ(document.size(), 3U);
  EXPECT_EQ(document["displayTimeUnit"], "ns");
  EXPECT_TRUE(document.contains("otherData"));
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 1700000000000000.500, "dur": 1.000})"));
  EXPECT_THAT(sample.bytes(), Not(HasSubstr(R"("cat")")));
}

TEST(ChromeJsonWriterTimes, OtherClocksHaveNoBase) {
  Sample sample;
  sample.trace.ranks[0].origin = {2'000, Clock::kUnknown};
  sample.add("a", "", kHost, 0, kUs);
  EXPECT_FALSE(sample.document().contains("baseTimeNanoseconds"));
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 2.000, "dur")"));
}

TEST(ChromeJsonWriterTimes, EventsAtZeroStayThereInTracesThatCountFromTheirStart) {
  Sample sample;
  sample.trace.ranks[0].origin = {1'000, Clock::kSession};
  sample.add("a", "", kHost, -kUs, kUs);
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 0.000, "dur")"));
}

TEST(ChromeJsonWriterTimes, AZeroThatWouldBeTakenForBrokenMovesEverything) {
  Sample sample;
  sample.trace.ranks[0].origin = {7'200'000'000'000, Clock::kBoot};
  sample.add("a", "", kHost, 0, kUs);
  sample.add("b", "", kHost, -7'200'000'000 * kUs, kUs);
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 7201000000.000, "dur")"));
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 1000000.000, "dur")"));
}

TEST(ChromeJsonWriterTimes, TimesFromZeroOnStayThere) {
  Sample sample;
  sample.trace.ranks[0].origin = {0, Clock::kSession};
  sample.add("a", "", kHost, 5 * kUs, kUs);
  sample.add("b", "", kHost, 0, kUs);
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 5.000, "dur")"));
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 0.000, "dur")"));
}

TEST(ChromeJsonWriterTimes, AZeroFarFromOtherTimesMovesEverything) {
  Sample sample;
  sample.trace.ranks[0].origin = {0, Clock::kSession};
  sample.add("a", "", kHost, 7'200'000'000 * kUs, kUs);
  sample.add("b", "", kHost, 0, kUs);
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 7201000000.000, "dur")"));
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 1000000.000, "dur")"));
}

TEST(ChromeJsonWriterTimes, TimesBelowZeroMoveEverything) {
  Sample sample;
  sample.trace.ranks[0].origin = {0, Clock::kSession};
  sample.add("a", "", kHost, 5 * kUs, kUs);
  sample.add("b", "", kHost, -kUs, kUs);
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 1000005.000, "dur")"));
  EXPECT_THAT(sample.bytes(), HasSubstr(R"("ts": 999999.000, "dur")"));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
