// Walking of JSON text: values, members, elements, and lists with damage in them.
#include "formats/rocprofv3_json/record_list.h"

#include <gtest/gtest.h>

namespace lockstep::formats::rocprofv3_json {
namespace {

std::string value(std::string_view text, std::size_t at = 0) {
  const Range range = value_at(text, at);
  return std::string(text.substr(range.begin, range.end - range.begin)) +
         (range.is_closed ? "" : " (open)");
}

TEST(RecordList, ValuesEndAtTheirBrackets) {
  EXPECT_EQ(value(R"({"a":[1,{"b":2}]},3)"), R"({"a":[1,{"b":2}]})");
  EXPECT_EQ(value(R"("x\"y\\",1)"), R"("x\"y\\")");
  EXPECT_EQ(value("12,3"), "12");
  EXPECT_EQ(value(R"({"a":"}"} )"), R"({"a":"}"})");
  EXPECT_EQ(value(R"({"a":1)"), R"({"a":1 (open))");
  EXPECT_EQ(value(R"("abc)"), "\"abc (open)");
  EXPECT_EQ(value("", 3), " (open)");
}

TEST(RecordList, MembersAreVisitedInOrder) {
  const std::string_view text = R"( { "a" : 1 , "b":[2] ,"c":{}} rest)";
  std::string seen;
  const std::size_t end = walk_members(text, 1, [&](std::string_view key, std::size_t at) {
    const Range range = value_at(text, at);
    seen += std::string(key) + "=" + std::string(text.substr(at, range.end - at)) + ";";
    return range.end;
  });
  EXPECT_EQ(seen, "a=1;b=[2];c={};");
  EXPECT_EQ(text.substr(end), " rest");
}

TEST(RecordList, WalksSayWhereTheTextIsNoObject) {
  const auto skip_in = [](std::string_view text) {
    return walk_members(text, 0, [&](std::string_view, std::size_t at) {
      const Range range = value_at(text, at);
      return range.is_closed ? range.end : kNowhere;
    });
  };
  EXPECT_EQ(skip_in("{}"), 2U);
  for (const std::string_view text : {"", "[", "{", "{1", "{\"a", "{\"a\"", "{\"a\":", "{\"a\":1",
                                      "{\"a\":1;", "{\"a\":1,", "{\"a\":1,}"}) {
    EXPECT_EQ(skip_in(text), kNowhere) << text;
  }
}

struct Seen {
  std::string names;
  Diagnostics diagnostics;
};

Seen visit_all(const std::string& text) {
  Seen seen;
  Document document(text);
  RecordParser parser(document, seen.diagnostics);
  parser.for_each(value_at(document.text(), 0), [&](simdjson::dom::element record, std::size_t at) {
    std::int64_t number = -1;
    EXPECT_EQ(record["n"].get_int64().get(number), simdjson::SUCCESS);
    seen.names += std::to_string(number) + "@" + std::to_string(at) + " ";
    return true;
  });
  EXPECT_EQ(document.text(), text);  // the borrowed bytes were given back
  return seen;
}

TEST(RecordList, ElementsAreParsed) {
  EXPECT_EQ(visit_all(R"([{"n":1},{"n":2} , {"n":3}])").names, "1@1 2@9 3@19 ");
  EXPECT_EQ(visit_all("[]").names, "");
  EXPECT_EQ(visit_all("{}").names, "");
}

TEST(RecordList, ADamagedElementCostsOnlyItself) {
  const Seen seen = visit_all(R"([{"n":1},{"n":2,,},{"n":3}])");
  EXPECT_EQ(seen.names, "1@1 3@19 ");
  EXPECT_EQ(seen.diagnostics.count_of(kDamagedRecord), 1U);
}

TEST(RecordList, AnElementWithoutItsEndCostsOnlyItself) {
  const Seen seen = visit_all(R"([{"n":1},{"n":2,"x":"},{"n":3},{"n":4}])");
  EXPECT_EQ(seen.names, "1@1 3@23 4@31 ");
  EXPECT_EQ(seen.diagnostics.count_of(kDamagedRecord), 1U);
}

TEST(RecordList, AMissingCommaIsCounted) {
  const Seen seen = visit_all(R"([{"n":1}x{"n":2},{"n":3}])");
  EXPECT_EQ(seen.names, "1@1 3@17 ");
  EXPECT_EQ(seen.diagnostics.count_of(kDamagedStructure), 1U);
}

TEST(RecordList, AMissingCommaBeforeTheLastElementIsCounted) {
  const Seen seen = visit_all(R"([{"n":1},{"n":2};{"n":3}])");
  EXPECT_EQ(seen.names, "1@1 2@9 ");
  EXPECT_EQ(seen.diagnostics.count_of(kDamagedStructure), 1U);
}

TEST(RecordList, TwoElementsThatBecameOneAreCounted) {
  const Seen seen = visit_all(R"([{"n":1,"m":2,"n":3,"m":4},{"n":5,"m":6}])");
  EXPECT_EQ(seen.diagnostics.count_of(kDamagedStructure), 1U);
  EXPECT_EQ(visit_all(R"([{"n":1,"m":2,"n":3},{"n":5,,}])").diagnostics.count_of(kDamagedStructure),
            1U);
}

TEST(RecordList, AListThatLostItsBracketIsCounted) {
  EXPECT_EQ(visit_all(R"({{"n":1},{"n":2}])").diagnostics.count_of(kDamagedStructure), 1U);
  EXPECT_TRUE(visit_all("null").diagnostics.entries().empty());
}

TEST(RecordList, AListThatIsCutOffGivesItsWholeElements) {
  const std::string whole = R"([{"n":1},{"n":2},{"n":3}])";
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    const std::string names = visit_all(whole.substr(0, cut)).names;
    EXPECT_EQ(std::ranges::count(names, '@'), cut < 8 ? 0 : cut < 16 ? 1 : cut < 24 ? 2 : 3) << cut;
  }
}

// Each of them swallows all that follows: without an end to it, as many looks as there are pairs.
TEST(RecordList, TheSearchForAWholeElementIsGivenUpAfterSome) {
  std::string text = "[";
  for (int i = 0; i < 1'000; ++i) text += "{\"a\":[},";
  const Seen seen = visit_all(text + "{\"n\":1}]");
  EXPECT_EQ(seen.names, "");
  std::uint64_t looked_at = 0;
  for (const Diagnostic& entry : seen.diagnostics.entries()) looked_at += entry.count;
  EXPECT_GE(looked_at, 8U);
  EXPECT_LE(looked_at, 16U);
}

}  // namespace
}  // namespace lockstep::formats::rocprofv3_json
