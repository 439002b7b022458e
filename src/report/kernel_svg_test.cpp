// Claims on the picture of in-kernel profiles.
#include "report/kernel_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/kernel_for_test.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(KernelSvg, HasABoxARegionAndARowALane) {
  const KernelFixture fixture;
  const std::string svg = kernel_svg(fixture.report());
  EXPECT_EQ(count_of(svg, "<title>compute: "), 2U);
  EXPECT_EQ(count_of(svg, "<title>load: "), 2U);
  EXPECT_THAT(svg, HasSubstr(">block 1 SM 11 group 0</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>load, token 5: 1.010 us</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>event 3 at 1.010 us</title>"));
  EXPECT_THAT(svg, HasSubstr(">1 us</text>"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
}

TEST(KernelSvg, WritesNamesOnlyWhereTheyFit) {
  KernelFixture fixture;
  fixture.profile.event_names[0] = std::string(25, 'x');
  const std::string svg = kernel_svg(fixture.report());
  // In the box of block 1 and in the legend; the box of block 0 is half as wide, 101 pixels.
  EXPECT_EQ(count_of(svg, ">" + std::string(25, 'x') + "</text>"), 2U);
}

TEST(KernelSvg, JoinsThinBoxesThatTouch) {
  KernelFixture fixture;
  std::vector<TimedRegion>& regions = fixture.summary.lanes[3].regions;
  const TimedRegion whole = regions[0];
  regions.clear();
  for (std::int64_t i = 0; i < 5000; ++i) {
    TimedRegion part = whole;
    part.start.time += Time{i * whole.duration.ps / 5000};
    part.duration = Time{whole.duration.ps / 5000};
    regions.push_back(part);
  }
  EXPECT_THAT(kernel_svg(fixture.report()), HasSubstr("5,000 regions"));
}

TEST(KernelSvg, PutsWhatOverlapsBelow) {
  KernelFixture fixture;
  const double before = std::stod(
      kernel_svg(fixture.report()).substr(kernel_svg(fixture.report()).find("height=\"") + 8));
  std::vector<TimedRegion>& regions = fixture.summary.lanes[3].regions;
  for (int i = 0; i < 100; ++i) regions.push_back(regions.front());
  const std::string svg = kernel_svg(fixture.report());
  const double after = std::stod(svg.substr(svg.find("height=\"") + 8));
  EXPECT_EQ(after - before, 7 * 20);  // not 100 rows
}

TEST(KernelSvg, MarksWhatIsNotWhole) {
  KernelFixture fixture;
  fixture.summary.lanes[3].regions[0].region.status = RegionStatus::kUnmatchedBegin;
  EXPECT_THAT(kernel_svg(fixture.report()), HasSubstr("unmatched_begin"));
}

TEST(KernelSvg, EscapesNames) {
  KernelFixture fixture;
  fixture.profile.event_names[1] = "<script>&\"\x01";
  const std::string svg = kernel_svg(fixture.report());
  EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<script")));
  EXPECT_THAT(svg, Not(HasSubstr("\x01")));
}

TEST(KernelSvg, SaysThatNothingWasRecorded) {
  const KernelProfile profile;
  const KernelSummary summary;
  const Diagnostics findings;
  EXPECT_THAT(kernel_svg({profile, summary, findings, "a.lkp"}),
              HasSubstr("Nothing was recorded."));
}

}  // namespace
}  // namespace lockstep
