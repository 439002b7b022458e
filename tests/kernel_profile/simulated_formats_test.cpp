// Every format of simulated executions, decoded: markers, drops, wraps, and times whose band holds
// the truth.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <tuple>

#include <gtest/gtest.h>

#include "analysis/kernel_profile/clocks/time_base.h"
#include "formats/kernel_profile/kernel_profile_formats.h"
#include "sim_writers.h"
#include "simulator.h"

namespace lockstep::sim {
namespace {

constexpr std::int64_t kWrapNs = std::int64_t{1} << 32;

// A file that is gone with its test.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& text)
      : path_(std::filesystem::temp_directory_path() /
              ("lockstep_sim_" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

Result<trace::KernelProfile> decode(const SimFile& file, Diagnostics& findings) {
  const ScratchFile meta(file.meta);
  formats::kernel_profile::KernelDecodeOptions options;
  options.format = formats::kernel_profile::kernel_format_named(file.format);
  if (!file.meta.empty()) options.meta_path = meta.path();
  return formats::kernel_profile::decode_kernel_profile(std::as_bytes(std::span(file.bytes)),
                                                        options, findings);
}

bool has_half_a_timer(const SimFile& file) {
  return file.format == "tvm" || file.format.starts_with("flashinfer");
}

class Comparison {
 public:
  Comparison(const TrueExecution& execution, const SimFile& file,
             const trace::KernelProfile& profile)
      : execution_(execution), file_(file), profile_(profile) {
    Diagnostics ignored;
    base_ = analysis::kernel_profile::fit_time_base(profile, {}, ignored);
  }

  void run() {
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t>, std::size_t> by_place;
    for (std::size_t i = 0; i < profile_.lanes.size(); ++i) {
      const trace::KernelLane& lane = profile_.lanes[i];
      by_place[{lane.launch, lane.block, lane.group}] = i;
    }
    for (const ExpectedLane& expected : file_.lanes) {
      if (expected.markers.empty()) continue;
      const TrueLane& truth = execution_.lanes[expected.true_lane];
      const auto found = by_place.find({truth.launch, truth.block, truth.group});
      ASSERT_NE(found, by_place.end()) << "block " << truth.block << " group " << truth.group;
      compare_lane(expected, found->second);
    }
  }

  [[nodiscard]] double inside_share() const {
    return static_cast<double>(inside_) / static_cast<double>(times_);
  }
  std::int64_t worst_excess_ps = 0;

 private:
  void compare_lane(const ExpectedLane& expected, std::size_t index) {
    const trace::KernelLane& lane = profile_.lanes[index];
    EXPECT_EQ(lane.seen, expected.seen);
    const auto decoded = profile_.records_of(lane, scratch_);
    ASSERT_EQ(decoded.size(), expected.markers.size());
    std::vector<trace::KernelRecord> records(decoded.begin(), decoded.end());
    std::vector<TrueMarker> markers = expected.markers;
    if (file_.format == "iket") order(records, markers);
    const analysis::kernel_profile::ClockFit& fit = base_.of(index);
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(records[i].type, markers[i].type);
      EXPECT_EQ(profile_.event_name(records[i].event), name_of_event(markers[i].event));
      compare_time(fit, records[i].ticks, markers[i].at_ps);
      if (markers[i].type == trace::RecordType::kRegion) {
        compare_time(fit, records[i].ticks + records[i].length, markers[i].end_ps);
      }
      if (i > 0) compare_step(fit, records[i - 1], records[i], markers[i - 1], markers[i]);
    }
  }

  // Ranges that begin in one step of the timer come in any order.
  void order(std::vector<trace::KernelRecord>& records, std::vector<TrueMarker>& markers) const {
    std::ranges::sort(records, {}, [this](const trace::KernelRecord& record) {
      return std::tuple(record.ticks, record.type, profile_.event_name(record.event),
                        std::int64_t{record.length});
    });
    std::ranges::sort(markers, {}, [this](const TrueMarker& marker) {
      const std::int64_t at = execution_.timer.read_ns(marker.at_ps);
      const std::int64_t end =
          marker.type == trace::RecordType::kRegion ? execution_.timer.read_ns(marker.end_ps) : at;
      return std::tuple(at, marker.type, name_of_event(marker.event), end - at);
    });
  }

  [[nodiscard]] std::string name_of_event(std::uint32_t event) const {
    if (profile_.event_names.empty()) return "event " + std::to_string(event);
    return execution_.event_names[event];
  }

  void compare_time(const analysis::kernel_profile::ClockFit& fit, std::int64_t ticks,
                    std::int64_t truth_ps) {
    const analysis::kernel_profile::BandedTime decoded = fit.at(ticks);
    ++times_;
    if (decoded.uncertainty == analysis::kernel_profile::kUnknownUncertainty) {
      ++inside_;
      return;
    }
    std::int64_t error = 0;
    if (has_half_a_timer(file_)) {
      // Only the low half is recorded: all lanes are off by the same number of wraps.
      const std::int64_t off_ns =
          decoded.time.ps / 1000 + base_.origin_ns - execution_.timer.origin_ns - truth_ps / 1000;
      const std::int64_t wraps = std::llround(static_cast<double>(off_ns) / 0x1p32);
      if (times_ == 1) wraps_ = wraps;
      EXPECT_EQ(wraps, wraps_);
      error = std::abs((off_ns - wraps * kWrapNs) * 1000);
    } else {
      const std::int64_t origin_ps = (base_.origin_ns - execution_.timer.origin_ns) * 1000;
      error = std::abs(decoded.time.ps + origin_ps - truth_ps);
    }
    const std::int64_t excess = error - decoded.uncertainty.ps;
    inside_ += excess <= 0 ? 1 : 0;
    worst_excess_ps = std::max(worst_excess_ps, excess);
  }

  // Even where nothing ties cycles to time, a step from one marker to the next is right to within
  // the rate of the clock.
  void compare_step(const analysis::kernel_profile::ClockFit& fit, const trace::KernelRecord& from,
                    const trace::KernelRecord& to, const TrueMarker& true_from,
                    const TrueMarker& true_to) const {
    if (fit.source != analysis::kernel_profile::TimeSource::kCycles) return;
    const double step = static_cast<double>((fit.at(to.ticks).time - fit.at(from.ticks).time).ps);
    const double truth = static_cast<double>(true_to.at_ps - true_from.at_ps);
    EXPECT_NEAR(step, truth, truth * 0.03 + 2'000);
  }

  const TrueExecution& execution_;
  const SimFile& file_;
  const trace::KernelProfile& profile_;
  analysis::kernel_profile::TimeBase base_;
  trace::RecordScratch scratch_;
  std::uint64_t times_ = 0;
  std::uint64_t inside_ = 0;
  std::int64_t wraps_ = 0;
};

// A band that is learned from the data holds 99 of 100; others hold all.
void check_all(const SimOptions& options, double least_inside) {
  const TrueExecution execution = simulate(options);
  for (const SimFile& file : write_all(execution)) {
    SCOPED_TRACE(file.format + ", seed " + std::to_string(options.seed));
    Diagnostics findings;
    const Result<trace::KernelProfile> profile = decode(file, findings);
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    Comparison comparison(execution, file, profile.value());
    comparison.run();
    EXPECT_GE(comparison.inside_share(), least_inside) << comparison.worst_excess_ps;
    if (testing::Test::HasFailure()) return;
  }
}

constexpr std::uint64_t kSeeds = 20;

TEST(SimulatedFormats, HoldTheTruthWhenClocksAreStraight) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = seed;
    options.groups = static_cast<std::uint32_t>(1 + seed % 3);
    options.timer_tick_ns = seed % 2 == 0 ? 32 : 1024;
    options.wraps_timer = seed % 3 == 0;
    check_all(options, 1);
  }
}

TEST(SimulatedFormats, HoldTheTruthWhenClocksWander) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = 100 + seed;
    options.cluster = seed % 3 == 0 ? 4 : 1;
    options.wander.spread = 0.003;
    options.wraps_timer = seed % 2 == 0;
    check_all(options, 0.99);
  }
}

TEST(SimulatedFormats, CountDropsExactly) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = 200 + seed;
    options.capacity = 16;
    options.is_ring = seed % 2 == 0;
    check_all(options, 1);
  }
}

TEST(SimulatedFormats, KeepMarkersWithoutPartners) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = 300 + seed;
    options.lost_marker = 0.1;
    options.not_finalized = 0.1;
    check_all(options, 1);
  }
}

TEST(SimulatedFormats, LaunchesAndChannelsOfOneFileAreToldApart) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = 400 + seed;
    options.blocks = 6;
    options.launches = 5;
    options.channels = 2;
    const TrueExecution execution = simulate(options);
    const SimFile file = write_lkp(execution);
    Diagnostics findings;
    const Result<trace::KernelProfile> profile = decode(file, findings);
    ASSERT_TRUE(profile.ok());
    ASSERT_EQ(profile.value().launches.size(), 5U);
    EXPECT_EQ(profile.value().launches[3].channel, 1U);
    EXPECT_EQ(profile.value().launches[3].number, 2U);
    Comparison comparison(execution, file, profile.value());
    comparison.run();
    EXPECT_EQ(comparison.inside_share(), 1) << comparison.worst_excess_ps;
  }
}

TEST(SimulatedFormats, RegionRecordsKeepBothEdges) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = 500 + seed;
    options.has_regions = true;
    const TrueExecution execution = simulate(options);
    const SimFile file = write_lkp(execution);
    Diagnostics findings;
    const Result<trace::KernelProfile> profile = decode(file, findings);
    ASSERT_TRUE(profile.ok());
    Comparison comparison(execution, file, profile.value());
    comparison.run();
    EXPECT_EQ(comparison.inside_share(), 1) << comparison.worst_excess_ps;
  }
}

TEST(SimulatedFormats, MigratedLanesAreFoundAndHeld) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SimOptions options;
    options.seed = 600 + seed;
    options.migration = 0.1;
    // Counters that show the same low half cannot be told apart.
    options.wraps_counters = false;
    const TrueExecution execution = simulate(options);
    const SimFile file = write_lkp(execution);
    Diagnostics findings;
    const Result<trace::KernelProfile> profile = decode(file, findings);
    ASSERT_TRUE(profile.ok());
    const auto migrated = std::ranges::count_if(
        execution.lanes, [](const TrueLane& lane) { return lane.sm != lane.sm_end; });
    std::uint64_t found = 0;
    for (const Diagnostic& entry : findings.entries()) {
      if (entry.kind->name == "migrated") found = entry.count;
    }
    EXPECT_EQ(found, static_cast<std::uint64_t>(migrated));
    Comparison comparison(execution, file, profile.value());
    comparison.run();
    EXPECT_GE(comparison.inside_share(), 0.97) << comparison.worst_excess_ps;
  }
}

}  // namespace
}  // namespace lockstep::sim
