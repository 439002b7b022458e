// What the structural scan suspects of damage, each implementation against the slow one.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "formats/chrome_json/scan/structural_scan.h"
#include "formats/chrome_json/scan/structural_scan_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using namespace std::string_view_literals;

// Whether any of the implementations suspects the text, however it is cut; all must say the same.
bool is_suspected(std::string_view text) {
  std::vector<bool> verdicts;
  for (const ScanImplementation& one : supported()) {
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, text.size() + 1}) {
      ScanState state;
      std::vector<Mark> marks(4096);
      bool found = false;
      for (std::size_t at = 0; at < text.size(); at += step) {
        const std::size_t end = std::min(at + step, text.size());
        found |= one.scan(text.data(), at, end, state, marks.data(), marks.size()).suspect_end > 0;
      }
      verdicts.push_back(found);
    }
  }
  EXPECT_THAT(verdicts, testing::Each(verdicts[0])) << text;
  return verdicts[0];
}

TEST(StructuralSuspicion, GoodJsonIsNeverSuspected) {
  for (const std::string_view text :
       {R"({"a":1},{"b":[{"c":[1,2,{"d":3}]},4,[5,6]]} ,{})"sv, R"({"a":{},"b":[],"c":"x:y,z"})"sv,
        R"({"a":{"b":{"c":"}:,{"}},"d":[[1,2],["x","y"]],"e":null}, {"f":"\\","g":-1.5e9})"sv}) {
    for (std::size_t shift = 0; shift < 130; ++shift) {
      EXPECT_FALSE(is_suspected(std::string(shift, ' ').append(text))) << text;
    }
  }
}

// Any JSON value, with white space wherever it may stand.
class AnyJson {
 public:
  std::string events() {
    std::string out;
    const int count = *rc::gen::inRange(1, 4);
    for (int i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + blanks() + object(0) + blanks();
    return out;
  }

 private:
  static std::string blanks() {
    return *rc::gen::weightedOneOf<std::string>(
        {{4, rc::gen::just(std::string())},
         {1, rc::gen::container<std::string>(rc::gen::element(' ', '\t', '\n', '\r'))}});
  }
  static std::string text() {
    const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "a", "}", "{", "]", "[", ":", ",", " ", "\xC3\xA9", R"(\\)", R"(\")", R"(\/)", R"(\n)",
        R"(\u00e9)", R"(\uD83D\uDE00)", "0",
        "a long piece of a name, to cross the border of a block"));
    std::string out = "\"";
    for (const std::string& piece : pieces) out += piece;
    return out + '"';
  }
  std::string value(int level) {
    switch (*rc::gen::inRange(0, level < 4 ? 5 : 3)) {
      case 0:
        return text();
      case 1:
        return *rc::gen::element<std::string>("0", "-1", "12.5", "1e9", "-0.25E-3",
                                              "1234567890123");
      case 2:
        return *rc::gen::element<std::string>("true", "false", "null");
      case 3:
        return object(level + 1);
      default:
        return list('[', ']', [&] { return value(level + 1); });
    }
  }
  std::string object(int level) {
    return list('{', '}', [&] { return text() + blanks() + ":" + blanks() + value(level); });
  }
  template <typename Item>
  static std::string list(char open, char close, Item item) {
    std::string out = open + blanks();
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) out += (i == 0 ? "" : "," + blanks()) + item() + blanks();
    return out + close;
  }
};

RC_GTEST_PROP(StructuralSuspicion, AnyGoodJsonIsNotSuspected, ()) {
  const std::string text = AnyJson().events();
  RC_LOG() << text;
  RC_ASSERT(!is_suspected(text));
}

TEST(StructuralSuspicion, ColonsAndCommasThatCannotStandSoAreSuspected) {
  for (const std::string_view text : {R"({"a":"b":1})"sv,
                                      R"({"a":1,"b","c":2})"sv,
                                      R"({"b","c":2})"sv,
                                      R"({"a":1 "b":2})"sv,
                                      R"({"a":{"b":1}:2})"sv,
                                      R"({"a":[1,2],"b","c":2})"sv,
                                      R"({"a":[1,2]:"b":2})"sv,
                                      R"({"a":["b","c":2],"d":1})"sv,
                                      R"({"a":[1,2]"b":1})"sv,
                                      R"({"a":[1,"b","c":2]})"sv,
                                      R"({"a":["b"c","d"]})"sv,
                                      R"({"a":"b"{"c":1}})"sv,
                                      R"({"a":["b""c"]})"sv,
                                      R"({"a":"b"  c})"sv,
                                      R"({"a": , {"b":1}})"sv,
                                      R"({"a":1, : -1, "b":0})"sv,
                                      R"({"a":1, "b"  })"sv,
                                      R"({"a":1, {"b":1}})"sv,
                                      R"({"a":1,,"b":2})"sv,
                                      R"({"a":[1, ]})"sv,
                                      R"({"a":{} {}})"sv,
                                      R"({"a":[[1] [2]]})"sv,
                                      R"({"a":1, "b", "c":1})"sv,
                                      R"({"a" : : 1})"sv,
                                      R"({: 1})"sv,
                                      R"({"a":[1,2] 3})"sv,
                                      R"({"a":{"b":1} "c"})"sv,
                                      R"({"a":1 2})"sv,
                                      R"({"a":[1,2"b"]})"sv,
                                      R"({,"a":1})"sv,
                                      R"({"a":[,1]})"sv,
                                      R"({{"a":1}})"sv,
                                      R"({1})"sv,
                                      R"({"a":[{"b":1}, {"c":2}}})"sv,
                                      R"({"a":[}]})"sv,
                                      R"({"a": })"sv,
                                      R"({"a":["b":[1]]})"sv,
                                      R"({"a":[[1],[["b":1,"c":2]]]})"sv,
                                      R"({"a":1,"b":[2],3})"sv,
                                      R"({"a":{"b":1},"c"})"sv,
                                      R"({"a":[1,2},"b":3})"sv,
                                      R"({"a":{"b"}})"sv,
                                      R"({"a":1,"b":"c"]})"sv}) {
    for (std::size_t shift = 0; shift < 130; ++shift) {
      EXPECT_TRUE(is_suspected(std::string(shift, ' ').append(text))) << text;
    }
  }
}

TEST(StructuralSuspicion, EscapesThatJsonDoesNotHaveAreSuspected) {
  const auto in_string = [](std::size_t shift, std::string_view text) {
    return std::string(shift, ' ').append(R"({"a":")").append(text).append(R"("})");
  };
  for (int byte = 1; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string text{'\\', c, '1', '2', '3', '4'};
    EXPECT_EQ(is_suspected(in_string(0, text)), !R"("\/bfnrtu)"sv.contains(c)) << byte;
  }
  for (std::size_t shift = 0; shift < 130; ++shift) {
    for (const std::string_view good : {R"(\u0aF9)"sv, R"(\\u)"sv, R"(\uABCD\u1234)"sv}) {
      EXPECT_FALSE(is_suspected(in_string(shift, good))) << good;
    }
    for (const std::string_view bad :
         {R"(\q)"sv, R"(\u12)"sv, R"(\u12g4)"sv, R"(\u)"sv, R"(\u\\234)"sv}) {
      EXPECT_TRUE(is_suspected(in_string(shift, bad))) << bad;
    }
  }
}

TEST(StructuralSuspicion, NulBytesAreSuspectedWhereverTheyStand) {
  for (std::size_t at = 0; at < 150; ++at) {
    std::string text = R"({"a":")" + std::string(150, 'x') + R"("})";
    text[at] = '\0';
    EXPECT_TRUE(is_suspected(text)) << at;
  }
}

TEST(StructuralSuspicion, ControlCharactersAreSuspectedOutsideOfStrings) {
  for (int byte = 1; byte < 0x20; ++byte) {
    const bool is_white = byte == '\t' || byte == '\n' || byte == '\r';
    for (std::size_t shift = 0; shift < 70; ++shift) {
      const std::string before = std::string(shift, ' ').append(R"({"a":[1,)");
      const std::string text = before + static_cast<char>(byte) + "2]}";
      EXPECT_EQ(is_suspected(text), !is_white) << byte;
      EXPECT_FALSE(is_suspected(before + '"' + static_cast<char>(byte) + "\"]}")) << byte;
    }
  }
}

// The same by one byte after the other.
class SlowSuspicion {
 public:
  [[nodiscard]] bool suspects(char byte) {
    if (byte == '\0' || is_bad_escape(byte)) return true;
    const bool is_white = " \t\n\r"sv.contains(byte);
    if (in_string_) {
      const bool ends = byte == '"' && !escaped_;
      if (ends) in_string_ = false;
      if (ends) last_byte_ = '"';
    } else if (static_cast<unsigned char>(byte) < ' ' && !is_white) {
      return true;
    } else if (!is_white) {
      if (is_odd(byte)) return true;
      in_string_ = byte == '"' && !escaped_;
      last_byte_ = "{}[]:,"sv.contains(byte) ? byte : 'x';
    }
    is_adjacent_ = !is_white;
    escaped_ = byte == '\\' && !escaped_;
    return false;
  }

 private:
  bool is_bad_escape(char byte) {
    const bool is_digit = "0123456789abcdefABCDEF"sv.contains(byte);
    if (digits_ > 0 && (--digits_, !is_digit)) return true;
    if (!escaped_) return false;
    if (byte == 'u') digits_ = 4;
    return !"\"\\/bfnrtu"sv.contains(byte);
  }

  // Outside of strings.
  bool is_odd(char byte) {
    const bool is_structural = "{}[]:,"sv.contains(byte);
    const bool ends_value = ":,}]"sv.contains(byte);
    const bool is_word = !is_structural && byte != '"';
    if (is_odd_behind_last(byte, ends_value, is_word)) return true;
    if (!is_structural) return false;
    const bool is_listed = last_ == ',' && "{[,"sv.contains(before_);
    if (byte == ':' && ("[}]:"sv.contains(last_) || is_listed)) return true;
    if (byte == ']' && last_ == ':') return true;
    if (byte == '}' && "{[,"sv.contains(last_) && last_byte_ != '{') return true;
    if (byte != ':' && last_ == ',' && before_ == ':') return true;
    before_ = last_;
    last_ = byte;
    return leaves_braces(byte);
  }

  // By the last byte that is not blank.
  bool is_odd_behind_last(char byte, bool ends_value, bool is_word) const {
    switch (last_byte_) {
      case '"':
        return !ends_value;
      case '}':
      case ']':
        return !ends_value || byte == ':';
      case 'x':
        return is_adjacent_ ? !(is_word || (ends_value && byte != ':')) : !ends_value;
      case ':':
      case ',':
        return ends_value;
      case '{':
        return byte != '"' && byte != '}';
      case '[':
        return byte == ':' || byte == ',' || byte == '}';
      default:
        return false;  // nothing came before
    }
  }

  // Whether an element ends that has not as many { as }.
  bool leaves_braces(char byte) {
    if ("{["sv.contains(byte) && depth_++ == 0) braces_ = 0;
    if (byte == '{') ++braces_;
    if (byte == '}') --braces_;
    return "}]"sv.contains(byte) && --depth_ == 0 && braces_ != 0;
  }

  char last_ = '[';    // of { } [ ] : ,
  char before_ = '[';  // the one before it
  char last_byte_ = '\0';
  bool is_adjacent_ = false;  // it is the last byte of all
  bool in_string_ = false;
  bool escaped_ = false;
  int digits_ = 0;  // of an escape, that are still to come
  int depth_ = 0;
  int braces_ = 0;
};

bool is_suspected_slowly(std::string_view text) {
  SlowSuspicion slow;
  return std::ranges::any_of(text, [&slow](char byte) { return slow.suspects(byte); });
}

// Elements of a list, long enough for several groups of blocks; open brackets enough that none
// closes outside. Texts and blanks reach over whole blocks. One in so many is damaged.
RC_GTEST_PROP(StructuralSuspicion, WhatIsSuspectedIsWhatTheSlowOneSuspects, ()) {
  const auto repeated = [](int most, char byte) {
    return rc::gen::map(rc::gen::inRange(0, most),
                        [byte](int n) { return std::string(static_cast<std::size_t>(n), byte); });
  };
  const auto element = rc::gen::weightedOneOf<std::string>(
      {{30, rc::gen::elementOf(std::vector<std::string>{
                R"({"a":1},)", R"("x",)", R"({"c":{"d" : [1, {"e":[]}], "f":{}} , "g":null},)",
                "[1,2,\"y\"],", "[[ ],[[]]],", R"("\\",)", R"("\"",)", R"("\u00e9\n",)",
                "-1.5e9 ,\n", R"([{"h":"i"}, {}],)"})},
       {4, rc::gen::map(repeated(300, ':'), [](auto text) { return '"' + text + "\","; })},
       {2, rc::gen::map(repeated(700, '7'), [](auto text) { return text + "1,"; })},
       {2, rc::gen::map(repeated(700, ' '), [](auto text) {
          return R"({"j")" + text + ":" + text + "1" + text + "},";
        })}});
  const auto damage = rc::gen::elementOf(
      std::vector<std::string>{":", ",", "\"", "\\", "{", "}", "[", "]", "x", "\x01", "\x1F", "\t",
                               "\\u12", R"("k":)", R"("k" )", "{}", ": ", " 1"});
  const auto count = static_cast<std::size_t>(*rc::gen::inRange(1, 120));
  std::string text(200, '[');
  for (const std::string& one : *rc::gen::container<std::vector<std::string>>(count, element))
    text += one;
  if (*rc::gen::inRange(0, 3) > 0) {
    const auto at = *rc::gen::inRange<std::size_t>(200, text.size() + 1);
    text.insert(at, *damage);
  }
  if (*rc::gen::inRange(0, 3) == 0) text.erase(*rc::gen::inRange<std::size_t>(200, text.size()), 1);
  const bool is_odd = is_suspected_slowly(text);
  RC_CLASSIFY(is_odd);
  RC_ASSERT(is_suspected(text) == is_odd);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
