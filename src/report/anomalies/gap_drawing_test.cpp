// Claims on the drawing of a gap.
#include "report/anomalies/gap_drawing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/layout/text_width.h"

namespace lockstep::report::anomalies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Time us(std::int64_t count) { return Time{count * kPicosecondsPerMicrosecond}; }

// Columns are 6 more than what is drawn: a name of one, a blank, four borders.
constexpr std::size_t kWidth = 54;

TEST(GapDrawing, PartsAreToScaleByThemselves) {
  const GapDrawing drawing{
      us(0),
      us(10),
      us(2010),
      us(2020),
      {{"a", {{us(0), us(5), "#"}, {us(5), us(10), "="}, {us(2010), us(2020), "#"}}},
       {"b", {{us(510), us(1010), "s"}}}}};
  EXPECT_THAT(draw_gap(drawing, kWidth),
              ElementsAre("  ┼ 10.000 us ─┼──── idle 2.000 ms ─────┼ 10.000 us ─┼",
                          "a │######======│                        │############│",
                          "b │            │      ssssss            │            │"));
}

TEST(GapDrawing, ASideWithoutWorkGetsNoRoom) {
  const GapDrawing drawing{us(0), us(0), us(48), us(96), {{"a", {{us(48), us(96), "#"}}}}};
  EXPECT_THAT(draw_gap(drawing, kWidth),
              ElementsAre("  ┼────────── idle 48.000 us ──────────┼ 48.000 us ─┼",
                          "a │                                    │############│"));
}

TEST(GapDrawing, AGapThatIsNoneIsCalledSo) {
  GapDrawing drawing{us(0), us(0), us(48), us(48), {}};
  drawing.gap_words = "not recorded";
  EXPECT_THAT(draw_gap(drawing, kWidth)[0], testing::HasSubstr(" not recorded 48.000 us "));
}

TEST(GapDrawing, ShortSpansAndPointsAreSeen) {
  const GapDrawing drawing{us(0),
                           us(0),
                           us(48'000),
                           us(48'000),
                           {{"a", {{us(1), us(2), "#"}, {us(24'000), us(24'000), "|"}}}}};
  EXPECT_EQ(draw_gap(drawing, kWidth)[1], "a │#                       |                       │");
}

TEST(GapDrawing, SpansBeyondWhatIsDrawnAreClipped) {
  const GapDrawing drawing{
      us(10), us(20), us(30), us(40), {{"a", {{us(0), us(25), "#"}, {us(50), us(60), "x"}}}}};
  EXPECT_EQ(draw_gap(drawing, kWidth)[1], "a │############│############            │            │");
}

TEST(GapDrawing, LaterSpansAreDrawnOverEarlierOnes) {
  const GapDrawing drawing{
      us(0), us(0), us(48), us(48), {{"a", {{us(0), us(4), "-"}, {us(1), us(2), "r"}}}}};
  EXPECT_EQ(draw_gap(drawing, kWidth)[1], "a │-r--                                            │");
}

TEST(GapDrawing, LinesKeepTheWidth) {
  GapDrawing drawing{us(0), us(10), us(20), us(30), {}};
  drawing.lanes = {{std::string(80, 'n'), {}}, {"\x1b[31m", {}}};
  for (const std::string& line : draw_gap(drawing, 80))
    EXPECT_LE(layout::display_width(line), 80U) << line;
}

TEST(GapDrawing, NothingIsDrawnOfAnEmptyGap) {
  EXPECT_THAT(draw_gap({us(0), us(5), us(5), us(9), {}}, kWidth), IsEmpty());
}

}  // namespace
}  // namespace lockstep::report::anomalies
