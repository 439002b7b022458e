// Claims on documents that are written from front to back.
#include "report/sinks/json_text.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

namespace lockstep::report::sinks {
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

// Notes the largest piece that it was given; fails once `room` bytes were written.
class PieceSink : public io::ByteSink {
 public:
  explicit PieceSink(std::size_t room = SIZE_MAX) : room_(room) {}
  [[nodiscard]] Status write(std::string_view bytes) override {
    largest = std::max(largest, bytes.size());
    if (text.size() + bytes.size() > room_) return output_error("out.json", "is full");
    text += bytes;
    return {};
  }
  [[nodiscard]] Status close() override { return {}; }

  std::string text;
  std::size_t largest = 0;

 private:
  std::size_t room_;
};

void write_list(std::size_t count, JsonText& text) {
  text.begin_array("list");
  for (std::size_t i = 0; i < count; ++i)
    text.raw_element("{\"number\": " + std::to_string(i) + "}");
  text.end_array();
}

TEST(JsonText, PoursTheSameTextIntoASinkAndHoldsLittleOfIt) {
  for (const std::size_t count : {0, 10, 200'000, 800'000}) {
    JsonText whole;
    write_list(count, whole);
    PieceSink sink;
    JsonText poured(sink);
    write_list(count, poured);
    ASSERT_TRUE(poured.finish_in_sink().ok());
    EXPECT_TRUE(sink.text == whole.finish()) << count;
    EXPECT_LE(sink.largest, (1U << 20) + 100) << count;
  }
}

TEST(JsonText, ASinkThatFailsIsTold) {
  PieceSink sink(3 << 20);
  JsonText text(sink);
  write_list(400'000, text);
  const Status status = text.finish_in_sink();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message, "is full");
}

}  // namespace
}  // namespace lockstep::report::sinks
