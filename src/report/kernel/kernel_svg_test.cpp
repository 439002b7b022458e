// Claims on the picture of in-kernel profiles.
#include "report/kernel/kernel_svg.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/kernel/kernel_for_test.h"

namespace lockstep::report::kernel {
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

TEST(KernelSvg, HasTheShortNameOfTheKernelAboveAndTheWholeOneBesideThePointer) {
  KernelFixture fixture;
  EXPECT_THAT(kernel_svg(fixture.report()), HasSubstr(">gemm, launch 7</text>"));
  EXPECT_THAT(kernel_svg(fixture.report()), Not(HasSubstr("<title>gemm</title>")));
  fixture.profile.launches.front().kernel = "void ns::gemm<float, 128>(float const*)";
  const std::string svg = kernel_svg(fixture.report());
  EXPECT_THAT(svg, HasSubstr(">ns::gemm, launch 7</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>void ns::gemm&lt;float, 128&gt;(float const*)</title>"));
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
  std::vector<analysis::kernel_profile::TimedRegion>& regions = fixture.summary.lanes[3].regions;
  const analysis::kernel_profile::TimedRegion whole = regions[0];
  regions.clear();
  for (std::int64_t i = 0; i < 5000; ++i) {
    analysis::kernel_profile::TimedRegion part = whole;
    part.start.time += Time{i * whole.duration.ps / 5000};
    part.duration = Time{whole.duration.ps / 5000};
    regions.push_back(part);
  }
  EXPECT_THAT(kernel_svg(fixture.report()), HasSubstr("5,000 regions"));
}

TEST(KernelSvg, HasNoMoreBoxesThanCanBeSeen) {
  KernelFixture fixture;
  analysis::kernel_profile::LaneResult& lane = fixture.summary.lanes[3];
  const analysis::kernel_profile::TimedRegion whole = lane.regions[0];
  lane.regions.clear();
  constexpr std::int64_t kMany = 50'000;
  for (std::int64_t i = 0; i < kMany; ++i) {
    analysis::kernel_profile::TimedRegion part = whole;
    part.region.event = static_cast<std::uint32_t>(i % 3);  // two of a kind never touch
    part.start.time += Time{i * whole.duration.ps / kMany};
    part.duration = Time{whole.duration.ps / kMany};
    lane.regions.push_back(part);
    lane.instants.push_back({{.event = 3}, part.start});
  }
  const std::string svg = kernel_svg(fixture.report());
  EXPECT_LT(count_of(svg, "<rect"), 1200U);
  EXPECT_LT(count_of(svg, "<path"), 1300U);
  // Nested in each other they have a row for the first seven and one for the others.
  for (std::int64_t i = 0; i < kMany; ++i) {
    analysis::kernel_profile::TimedRegion& part = lane.regions[static_cast<std::size_t>(i)];
    part.duration = whole.start.time + whole.duration - part.start.time;
  }
  EXPECT_LT(count_of(kernel_svg(fixture.report()), "<rect"), 1300U);
}

TEST(KernelSvg, LeavesOutWhatXmlForbids) {
  KernelFixture fixture;
  fixture.profile.event_names[0] = "a\uFFFEb\uFFFF\uFFFFc\uFFFC";
  EXPECT_THAT(kernel_svg(fixture.report()), HasSubstr("a\uFFFDb\uFFFD\uFFFDc\uFFFC"));
}

TEST(KernelSvg, PutsWhatOverlapsBelow) {
  KernelFixture fixture;
  const double before = std::stod(
      kernel_svg(fixture.report()).substr(kernel_svg(fixture.report()).find("height=\"") + 8));
  std::vector<analysis::kernel_profile::TimedRegion>& regions = fixture.summary.lanes[3].regions;
  for (int i = 0; i < 100; ++i) regions.push_back(regions.front());
  const std::string svg = kernel_svg(fixture.report());
  const double after = std::stod(svg.substr(svg.find("height=\"") + 8));
  EXPECT_EQ(after - before, 7 * 20);  // not 100 rows
}

TEST(KernelSvg, MarksWhatIsNotWhole) {
  KernelFixture fixture;
  fixture.summary.lanes[3].regions[0].region.status =
      analysis::kernel_profile::RegionStatus::kUnmatchedBegin;
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
  const trace::KernelProfile profile;
  const analysis::kernel_profile::KernelSummary summary;
  const Diagnostics findings;
  EXPECT_THAT(kernel_svg({profile, summary, findings, "a.lkp"}),
              HasSubstr("Nothing was recorded."));
}

}  // namespace
}  // namespace lockstep::report::kernel
