// The stated band against anchors of an H200 that were held out of the fit.
#include "real_anchors.h"

#include <gtest/gtest.h>

#include "analysis/kernel_profile/clocks/time_base.h"
#include "analysis/kernel_profile/clocks/time_base_check.h"

namespace lockstep::sim {
namespace {

std::vector<AnchorCase> cases() {
  return read_anchor_cases(LOCKSTEP_SOURCE_DIR "/tests/kernel_profile/fixtures/h200_anchors.bin");
}

std::string text_of(const AnchorCase& one) {
  return std::to_string(one.warps) + " warps " + one.load + " " + std::to_string(one.total_ns);
}

TEST(RealAnchors, HeldOutOnesAreInsideTheBand) {
  ASSERT_EQ(cases().size(), 9U);
  for (const AnchorCase& one : cases()) {
    std::uint64_t held_out = 0;
    std::uint64_t inside = 0;
    for (const std::uint32_t every : {2U, 3U, 5U}) {
      const analysis::kernel_profile::BandCheck check =
          analysis::kernel_profile::check_band(one.profile, every);
      held_out += check.held_out;
      inside += check.inside;
    }
    EXPECT_GT(held_out, 400U);
    EXPECT_GE(static_cast<double>(inside), 0.99 * static_cast<double>(held_out)) << text_of(one);
    EXPECT_GE(analysis::kernel_profile::check_band(one.profile, 1).share(), 0.99) << text_of(one);
  }
}

TEST(RealAnchors, BandsAreAsNarrowAsPromised) {
  for (const AnchorCase& one : cases()) {
    Diagnostics findings;
    const analysis::kernel_profile::TimeBase base =
        analysis::kernel_profile::fit_time_base(one.profile, {}, findings);
    EXPECT_TRUE(findings.entries().empty());
    EXPECT_EQ(base.source, analysis::kernel_profile::TimeSource::kAnchoredCycles);
    // Only here are anchors early enough to see what the start of the kernel costs.
    if (one.load != "fma" || one.total_ns != 100'000) continue;
    EXPECT_LE(base.uncertainty.ps, one.warps == 1 ? 10'000 : 40'000) << text_of(one);
  }
}

// A band that no held-out anchor tests would be a guess.
TEST(RealAnchors, WithoutInteriorAnchorsTheBandIsThatOfALoadedStart) {
  for (const AnchorCase& one : cases()) {
    const analysis::kernel_profile::BandCheck check =
        analysis::kernel_profile::check_band(one.profile, 1);
    EXPECT_GE(check.stated_max.ps, 150'000) << text_of(one);
    EXPECT_LE(check.stated_max.ps, 700'000) << text_of(one);
  }
}

}  // namespace
}  // namespace lockstep::sim
