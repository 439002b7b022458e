// The walk over a value in pieces: wherever they are cut, the answer is that of the whole text.
#include "formats/chrome_json/scan/value_walk.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "formats/chrome_json/scan/careful_scan.h"

namespace lockstep::formats::chrome_json {
namespace {

// "whole 4": what the walk says of `text` in pieces of `size` bytes, and where.
std::string walked(std::string_view text, std::size_t size) {
  ValueWalk walk;
  for (std::size_t begin = 0; begin < text.size(); begin += size) {
    const WalkVerdict verdict = walk.take(text.substr(begin, size));
    if (verdict == WalkVerdict::kIncomplete) continue;
    return (verdict == WalkVerdict::kWhole ? "whole " : "broken ") +
           std::to_string(begin + walk.at()) + (walk.has_phase() ? " event" : "") +
           (walk.holds_event() ? " events" : "");
  }
  return "incomplete";
}

TEST(ValueWalk, PiecesChangeNothing) {
  for (const std::string_view text :
       {R"({"a":[1,{"b":null}],"c":"}"} ])", R"({"ph" : "X", "args":{"ph":[ ]}},)", R"("a\"\\" ,)",
        R"([ -1.5e3 , true ]x)", R"({"a":{"ph":1},"b":[{"x":[],"ph":2}]})", R"({"a":"b"c"})",
        R"([1 2])", R"({"ph2":1,"p":2,"ph\"":3})", R"({"a":"\)", "[[[[", "12"}) {
    const std::string expected = walked(text, text.size());
    for (std::size_t size = 1; size < text.size(); ++size) {
      EXPECT_EQ(walked(text, size), expected) << text << " in pieces of " << size;
    }
  }
}

TEST(ValueWalk, AnEventIsMetWhereverItStandsInAList) {
  EXPECT_EQ(walked(R"({"ph":1} )", 3), "whole 8 event");
  EXPECT_EQ(walked(R"([{"ph":1}])", 3), "whole 10 events");
  EXPECT_EQ(walked(R"({"a":{"b":[[{"ph":1}]]}})", 3), "whole 24 events");
  EXPECT_EQ(walked(R"({"a":{"ph":1}})", 3), "whole 14");
}

TEST(ValueWalk, ItStopsBehindTheKeyThatMakesAnEvent) {
  ValueWalk walk(kAnyNesting, ValueWalk::Stop::kAtEvent);
  EXPECT_EQ(walk.take(R"([{"a":1},{"p)"), WalkVerdict::kIncomplete);
  EXPECT_FALSE(walk.holds_event());
  EXPECT_EQ(walk.take(R"(h":2},{"ph":3}])"), WalkVerdict::kIncomplete);
  EXPECT_TRUE(walk.holds_event());
  EXPECT_EQ(walk.at(), 2U);
}

TEST(ValueWalk, ClosedLevelsAreForgotten) {
  std::string text = "[";
  for (int i = 0; i < 100; ++i) text += std::string(70, i % 2 == 0 ? '[' : ' ') + "{\"a\":[";
  EXPECT_EQ(walked(text, 7), "incomplete");
  std::string closing;
  for (int i = 99; i >= 0; --i) closing += "]}" + std::string(i % 2 == 0 ? 70 : 0, ']') + " ";
  text += closing + "]";
  EXPECT_EQ(walked(text, 7), "whole " + std::to_string(text.size()));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
