// Claims on how the format of an output is chosen.
#include "cli/options/output_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

using testing::HasSubstr;

std::string chosen(std::string_view path, std::string_view name = "") {
  const auto format = choose_output_format(path, name);
  return format.ok() ? std::string(format.value()->name) : format.error().text();
}

TEST(OutputFormats, SuffixTellsTheFormat) {
  for (const std::string_view path : {"a.json", "a.trace", "dir/a.pt.trace.json"}) {
    EXPECT_EQ(chosen(path), "chrome") << path;
  }
  for (const std::string_view path : {"a.xplane.pb", "a.xplane.pb.gz"}) {
    EXPECT_EQ(chosen(path), "xspace") << path;
  }
  for (const std::string_view path : {"a.pftrace", "a.perfetto-trace", "a.pb", "a.perfetto"}) {
    EXPECT_EQ(chosen(path), "perfetto") << path;
  }
}

TEST(OutputFormats, CompressionDoesNotHideTheFormat) {
  EXPECT_EQ(chosen("a.json.gz"), "chrome");
  EXPECT_EQ(chosen("a.pftrace.zst"), "perfetto");
}

TEST(OutputFormats, ExplicitNameWins) {
  EXPECT_EQ(chosen("a.json", "perfetto"), "perfetto");
  EXPECT_EQ(chosen("-", "chrome"), "chrome");
}

TEST(OutputFormats, UnknownSuffixNamesTheKnownOnes) {
  EXPECT_THAT(chosen("a.txt"), HasSubstr(".json .trace (chrome), .xplane.pb"));
  EXPECT_THAT(chosen("json"), HasSubstr("does not tell which format"));
}

TEST(OutputFormats, StandardOutputNeedsAName) { EXPECT_THAT(chosen("-"), HasSubstr("--to")); }

TEST(OutputFormats, MisspeltNameIsGuessed) {
  EXPECT_THAT(chosen("a.json", "crome"), HasSubstr("did you mean 'chrome'?"));
  EXPECT_THAT(chosen("a.json", "xlsx"), HasSubstr("Known are chrome, xspace, perfetto"));
}

}  // namespace
}  // namespace lockstep::cli
