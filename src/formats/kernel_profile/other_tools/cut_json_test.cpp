// What is left of documents that end too early.
#include "formats/kernel_profile/other_tools/cut_json.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>
#include <simdjson.h>

namespace lockstep::formats::kernel_profile {
namespace {

TEST(CutJson, CompleteEntriesAreKeptAndBracketsClosed) {
  EXPECT_EQ(json_before_cut(R"({"list": [{"a": [1]}, {"b": )"), R"({"list": [{"a": [1]}]})");
  EXPECT_EQ(json_before_cut(R"([{"a": 1}, {"b)"), R"([{"a": 1}])");
  EXPECT_EQ(json_before_cut(R"({"list": [{"a": 1}], "x": 5)"), R"({"list": [{"a": 1}]})");
}

TEST(CutJson, BracketsInStringsAreNone) {
  EXPECT_EQ(json_before_cut(R"({"l": [{"a": "}]\"}"}, {"b": "]}}]", "c)"),
            R"({"l": [{"a": "}]\"}"}]})");
}

TEST(CutJson, WholeOrBrokenDocumentsAreLeftAlone) {
  EXPECT_EQ(json_before_cut(R"({"list": [{}]})"), std::nullopt);
  EXPECT_EQ(json_before_cut(R"({"list": [{"a": 1]}, )"), std::nullopt);
  EXPECT_EQ(json_before_cut(R"({"list": [{"a": 1)"), std::nullopt);
  EXPECT_EQ(json_before_cut(""), std::nullopt);
}

// Wherever it is cut, what comes out is a document whose list is a beginning of the whole one.
TEST(CutJson, EveryCutGivesTheEntriesBeforeIt) {
  const std::string text = R"({"u": "ns", "l": [{"a": {"b": [1, "x]"]}}, {"a": {}}, {"c": "\\"}]})";
  for (std::size_t size = 0; size < text.size(); ++size) {
    const std::optional<std::string> before = json_before_cut(text.substr(0, size));
    if (!before) continue;
    simdjson::dom::parser parser;
    simdjson::dom::array list;
    ASSERT_EQ(parser.parse(*before)["l"].get(list), simdjson::SUCCESS) << *before;
    std::size_t complete = 0;
    for (const std::string_view entry : {R"("x]"]}})", R"({"a": {}})", R"({"c": "\\"})"}) {
      if (text.find(entry) + entry.size() <= size) ++complete;
    }
    EXPECT_EQ(list.size(), complete) << size;
  }
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
