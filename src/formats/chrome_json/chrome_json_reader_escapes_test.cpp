// Escapes in the strings of events: those that JSON has are read, others are kept and said, for two
// events that damage has joined may lie in one string.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/chrome_json/reading_for_test.h"

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string kernel(std::string_view name, std::string_view path) {
  return R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,"name":")" + std::string(name) +
         R"(","args":{"stream":7,"path":")" + std::string(path) + R"("}})";
}

TEST(ChromeJsonReaderEscapes, ThoseOfJsonAreRead) {
  const trace::Trace trace = read_every_way(
      document({kernel(R"(a\"\\\/\u00e9)", R"(\b\f\n\r\t)"), kernel("b", R"(\\d)")}));
  EXPECT_THAT(names_of_events(trace), ElementsAre("a\"\\/\xC3\xA9", "b"));
  EXPECT_THAT(findings(trace), IsEmpty());
}

TEST(ChromeJsonReaderEscapes, OthersAreKeptAndDataLoss) {
  for (const std::string_view bad :
       {R"(C:\data)", R"(x\;W&\P(k;y)", R"(\u12 4)", R"(\u123)", R"(\ )"}) {
    const std::string in_name = kernel(bad, "");
    const std::string in_argument = kernel("c", bad);
    const std::string json = document({kernel("a", ""), in_name, in_argument, kernel("z", "")});
    const trace::Trace trace = read_every_way(json);
    EXPECT_THAT(names_of_events(trace), ElementsAre("a", std::string(bad), "c", "z"));
    EXPECT_THAT(findings(trace), ElementsAre("invalid_escape x2 " + place_of(in_name, json)));
    EXPECT_TRUE(trace.diagnostics.has_loss());
  }
}

TEST(ChromeJsonReaderEscapes, NestedArgumentsWithOthersAreLeftOut) {
  const std::string event =
      R"({"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":1,"dur":1,"name":"k","args":{"a":["\q"],"b":3}})";
  shared::ReadOptions keep;
  keep.keep_arguments = trace::KeepArguments::kAll;
  const Result<trace::Trace> read = try_read(document({event}), keep);
  ASSERT_TRUE(read.ok());
  EXPECT_THAT(arguments_of(read.value(), 0), ElementsAre("b=3"));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
