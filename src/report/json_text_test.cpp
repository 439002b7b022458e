// Claims on documents that are written from front to back.
#include "report/json_text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Json = nlohmann::ordered_json;

TEST(JsonText, LooksLikeTheDumpOfTheSameTree) {
  const Json small = {{"a", Json::array({1, "two\nlines"})}, {"b", nullptr}};
  JsonText text;
  text.member("first", "x");
  text.begin_array("empty");
  text.end_array();
  text.begin_array("list");
  text.element(small);
  text.begin_object();
  text.member("deep", small);
  text.end_object();
  text.begin_object();
  text.end_object();
  text.end_array();
  text.member("last", 1.5);

  Json tree = Json::object();
  tree["first"] = "x";
  tree["empty"] = Json::array();
  tree["list"] = Json::array({small, {{"deep", small}}, Json::object()});
  tree["last"] = 1.5;
  EXPECT_EQ(text.finish(), tree.dump(2) + "\n");
}

TEST(JsonText, EmptyDocumentAndRawElements) {
  EXPECT_EQ(JsonText().finish(), "{}\n");
  JsonText text;
  text.begin_array("a");
  text.raw_element("{\"x\": 1}");
  text.raw_element("{\"x\": 2}");
  text.end_array();
  EXPECT_EQ(text.finish(), "{\n  \"a\": [\n    {\"x\": 1},\n    {\"x\": 2}\n  ]\n}\n");
}

TEST(JsonText, ObjectsAndRawTextAreMembersToo) {
  JsonText text;
  text.begin_object("o");
  text.raw_member("x", "1.500");
  text.end_object();
  EXPECT_EQ(text.finish(), "{\n  \"o\": {\n    \"x\": 1.500\n  }\n}\n");
}

TEST(JsonText, BytesThatAreNotUtf8AreReplaced) {
  JsonText text;
  text.member("a", "\xFF");
  EXPECT_EQ(Json::parse(text.finish())["a"], "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace lockstep
