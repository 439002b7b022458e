// Claims on the progress line: its text, and its silence.
#include "base/progress.h"

#include <thread>

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

constexpr std::chrono::milliseconds kLongerThanARedraw{120};

TEST(ProgressLine, KnownTotalGivesShareAndRate) {
  const ProgressLine progress("reading", 200'000'000, false);
  EXPECT_EQ(progress.line(50'000'000, 2.0, 80), "reading  50.0 MB of 200.0 MB (25 %)  25.0 MB/s");
  EXPECT_EQ(progress.line(200'000'000, 4.0, 80),
            "reading  200.0 MB of 200.0 MB (100 %)  50.0 MB/s");
}

TEST(ProgressLine, UnknownTotalGivesBytesAndRate) {
  const ProgressLine progress("reading", std::nullopt, false);
  EXPECT_EQ(progress.line(1'500, 3.0, 80), "reading  1.5 kB  500 B/s");
}

TEST(ProgressLine, EmptyInputHasNoShare) {
  const ProgressLine progress("reading", 0, false);
  EXPECT_EQ(progress.line(0, 1.0, 80), "reading  0 B  0 B/s");
}

TEST(ProgressLine, NoTimePassedGivesNoRate) {
  const ProgressLine progress("reading", 1'000, false);
  EXPECT_EQ(progress.line(500, 0, 80), "reading  500 B of 1.0 kB (50 %)");
}

TEST(ProgressLine, LongLabelKeepsItsEndAndTheNumbers) {
  const ProgressLine progress("reading " + std::string(200'000, 'x') + "/rank7.json", 2'000, false);
  EXPECT_EQ(progress.line(500, 0, 45), "...xxxxxx/rank7.json  500 B of 2.0 kB (25 %)");
}

TEST(ProgressLine, NeverFillsTheTerminal) {
  const ProgressLine progress("reading \xE6\xA0\xB8\xE6\xA0\xB8.json", 2'000, false);
  for (std::size_t columns = 1; columns < 60; ++columns) {
    // Two characters of three bytes take two columns each.
    EXPECT_LT(progress.line(500, 1, columns).size(), columns + 3) << columns;
  }
  EXPECT_EQ(progress.line(500, 0, 10), "  500 B o");
}

TEST(ProgressLine, ControlCharactersOfALabelAreNotDrawn) {
  const ProgressLine progress("a\nb\x1b[2J\xC2\x9B\xFF\u202E", std::nullopt, false);
  EXPECT_EQ(progress.line(1, 0, 80), "a\uFFFDb\uFFFD[2J\uFFFD\uFFFD\uFFFD  1 B");
}

TEST(ProgressLine, DisabledLineDrawsNothing) {
  CaptureStderr();
  {
    ProgressLine progress("reading", 1'000, false);
    std::this_thread::sleep_for(kLongerThanARedraw);
    progress.update(500);
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(ProgressLine, ShortWorkDrawsNothing) {
  CaptureStderr();
  {
    ProgressLine progress("reading", 1'000, true);
    progress.update(1'000);
  }
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(ProgressLine, EnabledLineIsDrawnAndErased) {
  CaptureStderr();
  {
    ProgressLine progress("reading", 1'000, true);
    std::this_thread::sleep_for(kLongerThanARedraw);
    progress.update(500);
    progress.update(600);  // too soon after the first one
  }
  const std::string drawn = GetCapturedStderr();
  EXPECT_TRUE(drawn.starts_with("\r\033[Kreading  500 B of 1.0 kB (50 %)  ")) << drawn;
  EXPECT_TRUE(drawn.ends_with("/s\r\033[K")) << drawn;
  EXPECT_EQ(drawn.find("600 B of"), std::string::npos) << drawn;
}

}  // namespace
}  // namespace lockstep
