// Unescaping and repair of JSON text.
#include "formats/chrome_json/scan/json_text.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/text.h"

namespace lockstep::formats::chrome_json {
namespace {

using namespace std::string_literals;

constexpr const char* kReplacement = "\xEF\xBF\xBD";

TEST(JsonText, AllEscapesAreResolved) {
  EXPECT_EQ(unescaped(R"(\"\\\/\b\f\n\r\t)"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(unescaped("plain \xC3\xA9"), "plain \xC3\xA9");
  EXPECT_EQ(unescaped(""), "");
}

TEST(JsonText, CodePointsBecomeUtf8OfEveryLength) {
  EXPECT_EQ(unescaped(R"(\u0041\u007f)"), "A\x7F");
  EXPECT_EQ(unescaped(R"(\u0080\u07fF)"), "\xC2\x80\xDF\xBF");
  EXPECT_EQ(unescaped(R"(\u0800\uFFFF)"), "\xE0\xA0\x80\xEF\xBF\xBF");
  EXPECT_EQ(unescaped(R"(\u0000)"), "\0"s);
}

TEST(JsonText, SurrogatePairsBecomeOneCharacter) {
  EXPECT_EQ(unescaped(R"(\ud83d\ude00)"), "\xF0\x9F\x98\x80");
  EXPECT_EQ(unescaped(R"(a\uD800\uDC00b\uDBFF\uDFFF)"),
            "a\xF0\x90\x80\x80"
            "b\xF4\x8F\xBF\xBF");
}

TEST(JsonText, LoneSurrogatesBecomeReplacementCharacters) {
  EXPECT_EQ(unescaped(R"(\ud83d)"), kReplacement);
  EXPECT_EQ(unescaped(R"(\ud83dx)"), kReplacement + "x"s);
  EXPECT_EQ(unescaped(R"(\ude00)"), kReplacement);
  EXPECT_EQ(unescaped(R"(\ud83d\u0041)"), kReplacement + "A"s);
  EXPECT_EQ(unescaped(R"(\ud83d\ud83d\ude00)"), kReplacement + "\xF0\x9F\x98\x80"s);
  EXPECT_EQ(unescaped(R"(\ude00\ud83d)"), kReplacement + std::string(kReplacement));
}

TEST(JsonText, UnknownAndUnfinishedEscapesStayAsTheyAre) {
  EXPECT_EQ(unescaped(R"(\x41\')"), R"(\x41\')");
  EXPECT_EQ(unescaped(R"(\u12)"), R"(\u12)");
  EXPECT_EQ(unescaped(R"(\uzzzz\n)"), "\\uzzzz\n");
  EXPECT_EQ(unescaped(R"(\ud83d\u12)"), kReplacement + R"(\u12)"s);
  EXPECT_EQ(unescaped("a\\"), "a\\");
}

TEST(JsonText, ControlCharactersInStringsBecomeSpaces) {
  EXPECT_EQ(repaired("{\"a\x01\n\":\t\"b\x1F\"\n}"), "{\"a  \":\t\"b \"\n}");
  EXPECT_EQ(repaired("{\"a\\\"\n\"}"), "{\"a\\\" \"}");
  EXPECT_EQ(repaired("{\"a\\\\\"\n}"), "{\"a\\\\\"\n}");
  EXPECT_EQ(repaired("\"\0\""s), "\" \"");
}

TEST(JsonText, InvalidUtf8BecomesReplacementCharacters) {
  EXPECT_EQ(repaired("\"\xFF\""), "\"" + std::string(kReplacement) + "\"");
  EXPECT_EQ(repaired("\"\xC3\""), "\"" + std::string(kReplacement) + "\"");
  EXPECT_EQ(repaired("\"\xC3\xA9\""), "\"\xC3\xA9\"");
}

TEST(JsonText, SoundTextIsNotChanged) {
  const std::string sound = "{\"a\": [1, \"\xE2\x82\xAC\\n\"],\n\t\"b\": null}";
  EXPECT_EQ(repaired(sound), sound);
}

TEST(JsonText, QuotesAndSpaceAroundAValueAreTakenOff) {
  EXPECT_EQ(without_quotes("\"a\""), "a");
  EXPECT_EQ(without_quotes("\"a\" \n"), "a");
  EXPECT_EQ(without_quotes("12 "), "12");
  EXPECT_EQ(without_quotes("\""), "\"");
  EXPECT_EQ(without_quotes("\"\""), "");
  EXPECT_EQ(without_quotes(""), "");
}

RC_GTEST_PROP(JsonText, RepairedTextIsValidUtf8AndStaysRepaired, ()) {
  const auto byte = rc::gen::oneOf(rc::gen::elementOf("\"\\\n\x01{u"s), rc::gen::arbitrary<char>());
  const std::string text = *rc::gen::container<std::string>(byte);
  const std::string once = repaired(text);
  RC_ASSERT(valid_utf8(once) == once);
  RC_ASSERT(repaired(once) == once);
}

RC_GTEST_PROP(JsonText, UnescapingIsTotalAndKeepsTextWithoutBackslashes, ()) {
  const std::string text = *rc::gen::container<std::string>(rc::gen::elementOf("\\u0dD8cCn\"x"s));
  const std::string out = unescaped(text);
  RC_ASSERT(out.size() <= text.size());
  if (text.find('\\') == std::string::npos) RC_ASSERT(out == text);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
