// Claims on text as JSON strings.
#include "base/json_quote.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(JsonQuote, PlainTextIsQuotedAsItIs) {
  EXPECT_EQ(quoted_json("void gemm<float>(T*)"), "\"void gemm<float>(T*)\"");
  EXPECT_EQ(quoted_json(""), "\"\"");
  EXPECT_TRUE(is_plain_json_text("a b~\x7F"));
}

TEST(JsonQuote, QuotesBackslashesAndControlsAreEscaped) {
  using namespace std::string_view_literals;
  EXPECT_EQ(quoted_json("a \"b\"\\\n"), R"("a \"b\"\\\u000a")");
  EXPECT_EQ(quoted_json("\0\x01\x1F"sv), R"("\u0000\u0001\u001f")");
  EXPECT_FALSE(is_plain_json_text("\x1F"));
  EXPECT_FALSE(is_plain_json_text("\""));
}

TEST(JsonQuote, CharactersBeyondAsciiStayAndOtherBytesAreReplaced) {
  EXPECT_EQ(quoted_json("\xC3\xA9"), "\"\xC3\xA9\"");
  EXPECT_EQ(quoted_json("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
  EXPECT_FALSE(is_plain_json_text("\xC3\xA9"));
}

TEST(JsonQuote, LineBreaksAndTabsHaveAShortFormToo) {
  std::string out;
  write_json_escaped("a\n\t\r\x01z", JsonControls::kShort,
                     [&](std::string_view piece) { out += piece; });
  EXPECT_EQ(out, R"(a\n\t\r\u0001z)");
}

TEST(JsonQuote, IsAddedToWhatIsThere) {
  std::string json = "[";
  append_quoted_json("a\n", json);
  EXPECT_EQ(json, R"(["a\u000a")");
}

}  // namespace
}  // namespace lockstep
