// What stands between events and must not: garbage, commas, brackets.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/kernels_for_test.h"
#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;

TEST(ChromeJsonReaderGaps, TheFirstByteOfGarbageIsNamed) {
  const std::string json = "[" + at("a", "1") + ", \n" + "garbage," + at("b", "2") + "]";
  EXPECT_THAT(findings(read_every_way(json)),
              ElementsAre("damaged_structure x1 " + place_of("garbage", json)));
}

TEST(ChromeJsonReaderGaps, MissingAndRepeatedCommasBetweenEventsCostNothing) {
  const std::string json = "[" + at("a", "1") + at("b", "2") + ",,\n," + at("c", "3") + ",]";
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b", "c"));
}

// Whole events may have stood between them.
TEST(ChromeJsonReaderGaps, TwoCommasBetweenEventsAreDataLoss) {
  for (const std::string_view gap : {",,", ", ,\n", "\n,,,", ",\n,"}) {
    const std::string json =
        "[" + at("a", "1") + "," + at("b", "2") + std::string(gap) + at("c", "3") + ",\n]";
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b", "c"));
    const std::size_t place = json.find(at("c", "3"));
    EXPECT_THAT(findings(trace), ElementsAre("damaged_structure x1 @" + std::to_string(place)));
  }
}

TEST(ChromeJsonReaderGaps, TwoCommasAtTheEndOfTheListAreDataLoss) {
  const std::string json = "[" + at("a", "1") + "," + at("b", "2") + ", \n,]";
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "b"));
  EXPECT_THAT(findings(trace),
              ElementsAre("damaged_structure x1 @" + std::to_string(json.size() - 1)));
}

// Each kind has the place of its first, whatever was found in between.
TEST(ChromeJsonReaderGaps, FindingsStandInTheOrderOfTheStream) {
  const std::string odd =
      R"({"ph":"X","name":"o","pid":1,"tid":1,"ts":2,"dur":1,"args":{"x":[1,]}})";
  const std::string json =
      "[" + at("a", "1") + ",," + at("b", "2") + "," + odd + ",,," + at("c", "3") + "}}}]";
  shared::ReadOptions options;
  for (const std::size_t chunk_bytes : {std::size_t{1}, std::size_t{9}, json.size()}) {
    options.chunk_bytes = chunk_bytes;
    EXPECT_THAT(findings(try_read(json, options).value()),
                ElementsAre("damaged_structure x5 " + place_of(at("b", "2"), json),
                            "stray_comma x1 " + place_of(odd, json)));
  }
}

// The way behind the bad event begins in front of them.
TEST(ChromeJsonReaderGaps, TwoCommasBehindABadEventAreSaidOnce) {
  const std::string bad = R"({"ph":"X","name":"b" "pid":1,"tid":1,"ts":2,"dur":3})";
  for (const std::string_view gap : {",,", ",\n,"}) {
    const std::string json = "[" + at("a", "1") + "," + bad + std::string(gap) + at("c", "3") + "]";
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "c"));
    EXPECT_THAT(findings(trace), ElementsAre("damaged_event x1 " + place_of(bad, json)));
  }
}

// The bytes on both sides of the damage fit: ", {" and ", [" stand in lists.
TEST(ChromeJsonReaderGaps, EventsThatAnArgumentTookInAreFound) {
  std::string events;
  for (int i = 0; i < 40; ++i) events += at("e" + std::to_string(i), std::to_string(10 + i)) + ",";
  const std::string bad = kernel("bad", R"("ts":1,"dur":1,"args":{"a":[1],)");
  const std::string torn = bad.substr(0, bad.size() - 1) + " " + events;
  const std::string json =
      "[" + at("first", "1") + "," + torn + R"("b":2}},)" + at("z", "99") + "]";
  const trace::Trace trace = read_every_way(json);
  EXPECT_EQ(names_of_events(trace).size(), 42U);
  EXPECT_TRUE(trace.diagnostics.has_loss());
}

TEST(ChromeJsonReaderGaps, EventsThatBecameBlankInAnArgumentAreMissed) {
  const std::string head = kernel("bad", R"("ts":1,"dur":1,"args":{"a":[1],)");
  const std::string bad =
      head.substr(0, head.size() - 1) + std::string(1200, ' ') + R"(["float"],"b":2}})";
  const std::string json = document({at("first", "1"), bad, at("z", "99")});
  const trace::Trace trace = read_every_way(json);
  EXPECT_THAT(names_of_events(trace), ElementsAre("first", "z"));
  EXPECT_THAT(findings(trace), ElementsAre("damaged_event x1 " + place_of(bad, json)));
}

// The brackets of the arguments are taken for those of the list and the document.
TEST(ChromeJsonReaderGaps, ALargeDamagedEventWithEventsOfItsOwnCostsNoneBehindIt) {
  std::string calls;
  for (int i = 0; i < 60; ++i) calls += R"({"ph":"X","n":[1,2]},)";
  const std::string bad = kernel("bad", R"("ts":2,"dur":1,"args":{"v":1$2,"calls":[)" + calls +
                                            "{}]\n}" + std::string(100, ' '));
  for (const std::string& json :
       {document({at("a", "1"), bad, at("y", "3"), at("z", "4")}),
        "[" + at("a", "1") + "," + bad + "," + at("y", "3") + "," + at("z", "4") + "]"}) {
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", "y", "z"));
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
}

// As when a file was overwritten by a shorter one.
TEST(ChromeJsonReaderGaps, BehindAGoodDocumentIsAnotherOne) {
  for (const std::string_view between : {"}}, ", "}", "]\n"}) {
    const std::string json =
        document({at("a", "1")}) + std::string(between) + at("old", "2") + "]}";
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a"));
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
}

TEST(ChromeJsonReaderGaps, LargeEventsWithPhasesAndBlanksOfTheirOwnAreGood) {
  const std::string large = kernel("k", R"("ts":5,"dur":1,"args":{"ph":1,"b":[{"ph":"X"}],"c":)" +
                                            std::string(2000, ' ') + "1}");
  const trace::Trace trace = read_every_way(document({at("a", "1"), large}));
  EXPECT_THAT(names_of_events(trace), ElementsAre("a", "k"));
  EXPECT_FALSE(trace.diagnostics.has_loss());
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
