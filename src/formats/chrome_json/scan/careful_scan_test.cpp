// The careful scan: verdicts on values, and the search for events in damaged text.
#include "formats/chrome_json/scan/careful_scan.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "formats/chrome_json/sample_trace_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using Verdict = CarefulResult::Verdict;
using Found = FoundEvent::Verdict;

constexpr std::size_t kNoLimit = 1'000'000;

std::string words(Verdict verdict) {
  return verdict == Verdict::kWhole        ? "whole"
         : verdict == Verdict::kIncomplete ? "incomplete"
                                           : "broken";
}

// "whole 4": the verdict and where the value ends or breaks.
std::string check(std::string_view text, std::size_t begin = 0) {
  const CarefulResult result = check_value(text, begin);
  return words(result.verdict) + " " + std::to_string(result.end);
}

TEST(CarefulScan, WholeValuesEndBehindTheirLastByte) {
  EXPECT_EQ(check("{}"), "whole 2");
  EXPECT_EQ(check("[] "), "whole 2");
  EXPECT_EQ(check("\"a\""), "whole 3");
  EXPECT_EQ(check("\"a\\\"\\\\\" ,"), "whole 7");
  EXPECT_EQ(check("12.5e-3,"), "whole 7");
  EXPECT_EQ(check("true}"), "whole 4");
  EXPECT_EQ(check(R"({"a":[1,{"b":null}],"c":"}"} ])"), "whole 28");
  EXPECT_EQ(check("{ \"a\" :\n1 , \"b\"\t: [ ] }"), "whole 23");
  EXPECT_EQ(check("xx{}", 2), "whole 4");
}

TEST(CarefulScan, BareWordsAndRawBytesInStringsAreTolerated) {
  EXPECT_EQ(check("{\"a\":NaN,\"b\":-inf,\"c\":Infinity}"), "whole 31");
  EXPECT_EQ(check("\"a\x01\n\xFF\""), "whole 6");
}

TEST(CarefulScan, TextThatEndsTooEarlyIsIncomplete) {
  for (const std::string_view text :
       {"", "{", "[", "\"", "\"a", "\"a\\", "\"a\\\"", "12", "tru", "{\"a\"", "{\"a\":", "{\"a\":1",
        "{\"a\":1,", "[1,", "[[]", "{\"a\":{\"b\":[", "{ ", "[1 "}) {
    EXPECT_EQ(check_value(text, 0).verdict, Verdict::kIncomplete) << text;
  }
}

TEST(CarefulScan, WhatIsToleratedIsSaid) {
  const auto flaws = [](std::string_view text) {
    const CarefulResult result = check_value(text, 0);
    EXPECT_EQ(result.verdict, CarefulResult::Verdict::kWhole) << text;
    return std::string(result.has_stray_comma ? "comma" : "") +
           (result.has_bad_escape ? "escape" : "");
  };
  EXPECT_EQ(flaws("{\"a\":1,}"), "comma");
  EXPECT_EQ(flaws("[1, ]"), "comma");
  EXPECT_EQ(flaws(R"({"a":[{"b":1,}],"c":2})"), "comma");
  EXPECT_EQ(flaws(R"(["\q"])"), "escape");
  EXPECT_EQ(flaws(R"(["\u12"])"), "escape");
  EXPECT_EQ(flaws(R"({"\n\u00e9\\":["\"",1,{}]})"), "");
}

TEST(CarefulScan, WrongGrammarIsBrokenAtTheFirstWrongByte) {
  EXPECT_EQ(check("}"), "broken 0");
  EXPECT_EQ(check(":"), "broken 0");
  EXPECT_EQ(check("{1:2}"), "broken 1");
  EXPECT_EQ(check("{\"a\" 1}"), "broken 5");
  EXPECT_EQ(check("{\"a\":1 \"b\":2}"), "broken 7");
  EXPECT_EQ(check("{\"a\":1]"), "broken 6");
  EXPECT_EQ(check("[1}"), "broken 2");
  EXPECT_EQ(check("[1 2]"), "broken 3");
  EXPECT_EQ(check("[,1]"), "broken 1");
  EXPECT_EQ(check("{,}"), "broken 1");
  EXPECT_EQ(check("{\"a\":}"), "broken 5");
  EXPECT_EQ(check("{\"a\":1,,}"), "broken 7");
  EXPECT_EQ(check("{\"a\":1,]"), "broken 7");
  EXPECT_EQ(check("[1,}"), "broken 3");
  EXPECT_EQ(check("{\"a\"\"b\"}"), "broken 4");
  EXPECT_EQ(check("{\"a\":\"b\"c\"}"), "broken 8");
}

TEST(CarefulScan, AnEventIsAnObjectWithAPhaseOfItsOwn) {
  EXPECT_TRUE(check_value(R"({"ph":"X"})", 0).has_phase);
  EXPECT_TRUE(check_value(R"({"a":{},"b":[{}], "ph" : 1})", 0).has_phase);
  EXPECT_FALSE(check_value(R"({"args":{"ph":"X"}})", 0).has_phase);
  EXPECT_FALSE(check_value(R"([{"ph":"X"}])", 0).has_phase);
  EXPECT_FALSE(check_value(R"({"a":"ph","phase":"X","p":1,"ph2":1})", 0).has_phase);
  EXPECT_FALSE(check_value(R"("ph")", 0).has_phase);
}

// How deep a value is nested says nothing of damage; only the search for events must end somewhere.
TEST(CarefulScan, NestingHasNoLimitButInTheSearch) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  for (const std::size_t depth : {kMaxNesting, kMaxNesting + 1, std::size_t{100'000}}) {
    EXPECT_EQ(check(nested(depth)), "whole " + std::to_string(2 * depth));
    EXPECT_EQ(check("[" + nested(depth) + "}"), "broken " + std::to_string(2 * depth + 1));
  }
  const auto event = [&](std::size_t depth) {
    return R"({"ph":"X","args":)" + nested(depth) + "}";
  };
  EXPECT_EQ(find_event(event(kMaxNesting - 1), 0, true, kNoLimit).verdict, Found::kFound);
  EXPECT_EQ(find_event(event(kMaxNesting), 0, true, kNoLimit).damaged, 1U);
}

TEST(CarefulScan, EveryPrefixOfAValidEventIsIncomplete) {
  for (const SampleStyle style : {SampleStyle::kPretty, SampleStyle::kCompact}) {
    const SampleTrace sample = sample_trace(style);
    for (const SampleEvent& event : sample.events) {
      const std::string text =
          sample.json.substr(event.text.begin, event.text.end - event.text.begin);
      for (std::size_t length = 0; length < text.size(); ++length) {
        ASSERT_EQ(check_value(text.substr(0, length), 0).verdict, Verdict::kIncomplete)
            << text.substr(0, length);
      }
      const CarefulResult whole = check_value(text, 0);
      ASSERT_EQ(whole.verdict, Verdict::kWhole) << text;
      ASSERT_EQ(whole.end, text.size());
      ASSERT_TRUE(whole.has_phase);
    }
  }
}

TEST(CarefulScan, SpaceIsWhatJsonCallsSpace) {
  EXPECT_EQ(skip_space(" \n\r\tx", 0), 4U);
  EXPECT_EQ(skip_space("x", 0), 0U);
  EXPECT_EQ(skip_space("  ", 1), 2U);
  EXPECT_EQ(skip_space("\v", 0), 0U);
  EXPECT_EQ(skip_space("", 0), 0U);
}

std::size_t found_at(std::string_view text) {
  const FoundEvent found = find_event(text, 0, true, kNoLimit);
  return found.verdict == Found::kFound ? found.at : std::string_view::npos;
}

TEST(CarefulScan, TheNextEventIsFoundBehindAnything) {
  EXPECT_EQ(found_at(R"({"ph":"X"})"), 0U);
  EXPECT_EQ(found_at(R"(garbage "{" ]},[ {"ph":"X"})"), 17U);
  EXPECT_EQ(found_at(R"({"a":1},{"ph":"X"})"), 8U);
  EXPECT_EQ(found_at(R"({"traceEvents":[{"ph":"X"}]})"), 16U);
  EXPECT_EQ(found_at(R"(}:{"ph":"X"})"), 2U);
  EXPECT_EQ(found_at(R"(},"{"ph":"X"})"), 3U);
  EXPECT_EQ(found_at("no event"), std::string_view::npos);
}

TEST(CarefulScan, PartsOfAnEventAreNotFound) {
  EXPECT_EQ(found_at(R"("args":{"ph":"X"})"), std::string_view::npos);
  EXPECT_EQ(found_at(R"("args" : {"ph":"X"})"), std::string_view::npos);
  EXPECT_EQ(found_at(R"({"name":"a"{"cat":"b","ph":"X"},{"ph":"i"})"), 32U);
}

TEST(CarefulScan, BrokenEventsOnTheWayAreCounted) {
  const FoundEvent found =
      find_event(R"({"ph":"X" 1},{"a" 1},{"ph":"X","args":{},2},{"ph":"X"})", 0, true, kNoLimit);
  EXPECT_EQ(found.verdict, Found::kFound);
  EXPECT_EQ(found.at, 44U);
  EXPECT_EQ(found.damaged, 2U);
  EXPECT_EQ(found.first_damaged, 0U);
}

TEST(CarefulScan, AnObjectThatMayStillBecomeAnEventIsWaitedFor) {
  const std::string_view text = R"(x,{"a":1,"b":)";
  const FoundEvent waits = find_event(text, 0, false, kNoLimit);
  EXPECT_EQ(waits.verdict, Found::kIncomplete);
  EXPECT_EQ(waits.at, 2U);
  EXPECT_EQ(find_event(text, 0, true, kNoLimit).verdict, Found::kNone);
  EXPECT_EQ(find_event(text, 0, false, 5).verdict, Found::kNone);
}

TEST(CarefulScan, EnoughOfTheEndIsKeptToJudgeWhatFollows) {
  const std::string_view text = "abc \"args\" : ";
  const FoundEvent none = find_event(text, 0, false, kNoLimit);
  EXPECT_EQ(none.verdict, Found::kNone);
  const std::string kept(text.substr(none.at));
  EXPECT_EQ(kept, "\" : ");
  const std::string more = kept + "{\"ph\":1}";
  EXPECT_EQ(find_event(more, kept.size(), true, kNoLimit).verdict, Found::kNone);
  EXPECT_EQ(find_event("   ", 0, false, kNoLimit).at, 3U);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
