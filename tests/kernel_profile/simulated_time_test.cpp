// The time base on simulated executions: true times lie inside the stated bands.
#include <algorithm>
#include <cstdlib>

#include <gtest/gtest.h>

#include "analysis/kernel_profile/clocks/time_base.h"
#include "sim_writers.h"
#include "simulator.h"

namespace lockstep::sim {
namespace {

struct Containment {
  std::uint64_t markers = 0;
  std::uint64_t inside = 0;
  std::int64_t worst_excess_ps = 0;
  std::int64_t stated_ps = 0;  // sum over markers
  [[nodiscard]] double share() const {
    return static_cast<double>(inside) / static_cast<double>(markers);
  }
};

// Compares every kept marker with the truth.
Containment compare(const TrueExecution& execution, const trace::KernelProfile& profile,
                    const analysis::kernel_profile::TimeBase& base) {
  Containment result;
  trace::RecordScratch scratch;
  for (std::size_t i = 0; i < execution.lanes.size(); ++i) {
    const KeptMarkers kept = kept_markers(execution.lanes[i], execution.options);
    const auto records = profile.records_of(profile.lanes[i], scratch);
    EXPECT_EQ(records.size(), kept.count);
    for (std::size_t k = 0; k < kept.count; ++k) {
      const analysis::kernel_profile::BandedTime decoded = base.of(i).at(records[k].ticks);
      const std::int64_t truth = execution.lanes[i].markers[kept.first + k].at_ps -
                                 (base.origin_ns - execution.timer.origin_ns) * 1000;
      const std::int64_t excess = std::abs(decoded.time.ps - truth) - decoded.uncertainty.ps;
      result.stated_ps += decoded.uncertainty.ps;
      ++result.markers;
      result.inside += excess <= 0 ? 1 : 0;
      result.worst_excess_ps = std::max(result.worst_excess_ps, excess);
    }
  }
  return result;
}

Containment run(const SimOptions& options) {
  const TrueExecution execution = simulate(options);
  const trace::KernelProfile profile = to_profile(execution);
  Diagnostics findings;
  const analysis::kernel_profile::TimeBase base =
      analysis::kernel_profile::fit_time_base(profile, {}, findings);
  EXPECT_TRUE(findings.entries().empty() || options.migration > 0);
  return compare(execution, profile, base);
}

constexpr std::uint64_t kSeeds = 40;

TEST(SimulatedTime, StraightClocksAreAlwaysInsideTheBand) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.timer_tick_ns = seed % 2 == 0 ? 32 : 1024;
    const Containment result = run(options);
    EXPECT_EQ(result.inside, result.markers) << "seed " << seed << ", " << result.worst_excess_ps;
  }
}

TEST(SimulatedTime, WanderingClocksAreInsideTheBand) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.launches = 2;
    options.wander.spread = 0.004;
    const Containment result = run(options);
    EXPECT_GE(result.share(), 0.99) << "seed " << seed << ", " << result.worst_excess_ps;
  }
}

// What pooling is for: knots as narrow as many anchors make them, and still true.
TEST(SimulatedTime, MultiprocessorsThatShareACounterNarrowTheBand) {
  std::int64_t stated_alone_ps = 0;
  std::int64_t stated_ps = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.blocks = 64;
    options.multiprocessors = 16;
    options.read_cycles = 60;
    options.wander.spread = 0.0005;
    stated_alone_ps += run(options).stated_ps;
    options.cluster = 16;
    const Containment result = run(options);
    stated_ps += result.stated_ps;
    EXPECT_GE(result.share(), 0.99) << "seed " << seed << ", " << result.worst_excess_ps;
  }
  EXPECT_LT(stated_ps, stated_alone_ps);
}

TEST(SimulatedTime, MigratedLanesAreInsideTheBand) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.migration = 0.2;
    options.not_finalized = 0.2;
    const Containment result = run(options);
    EXPECT_GE(result.share(), 0.98) << "seed " << seed << ", " << result.worst_excess_ps;
  }
}

}  // namespace
}  // namespace lockstep::sim
