// The hash from keys to fields.
#include "formats/chrome_json/parse/event_fields.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace lockstep::formats::chrome_json {
namespace {

// `key` as the parser meets it: followed by its closing quote and more text.
Field field(std::string_view key) {
  const std::string text = std::string(key) + "\": 12345678";
  return field_of(text.c_str());
}

TEST(EventFields, EveryKeyIsFound) {
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    EXPECT_EQ(field(kFieldKeys[i]), static_cast<Field>(i)) << kFieldKeys[i];
  }
}

TEST(EventFields, NearMissesAreOtherFields) {
  for (const std::string_view key : kFieldKeys) {
    const std::string text(key);
    EXPECT_EQ(field(text + "s"), Field::kOther) << text;
    EXPECT_EQ(field(text + " "), Field::kOther) << text;
    EXPECT_EQ(field(text + "\\"), Field::kOther) << text;
    EXPECT_EQ(field(" " + text), Field::kOther) << text;
    EXPECT_EQ(field(text.substr(0, text.size() - 1)), Field::kOther) << text;
    EXPECT_EQ(field("x" + text), Field::kOther) << text;
    std::string upper = text;
    upper[0] = static_cast<char>(upper[0] - 'a' + 'A');
    EXPECT_EQ(field(upper), Field::kOther) << upper;
  }
}

TEST(EventFields, OtherKeysOfTracesAreOtherFields) {
  for (const std::string_view key :
       {"", "s", "sf", "tts", "tdur", "dura", "cname", "id2", "bind_id", "flow_in", "stack", "argz",
        "arg", "nome", "p", "\0\0"}) {
    EXPECT_EQ(field(key), Field::kOther) << key;
  }
}

TEST(EventFields, EveryPairOfFirstBytesLeadsToItsOwnKeyOnly) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string key = {static_cast<char>(first), static_cast<char>(second)};
      const bool is_key = key == "ph" || key == "ts" || key == "id" || key == "bp";
      ASSERT_EQ(field(key) != Field::kOther, is_key) << first << " " << second;
    }
  }
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
