// What the sinks of `kernel decode` are given, and what several of them say or choose alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/kernel_profile/figures/kernel_compare.h"
#include "analysis/kernel_profile/figures/kernel_summary.h"
#include "base/diagnostics.h"
#include "trace/kernel_profile.h"

namespace lockstep::report::kernel {

// All that is referred to must outlive the report.
struct KernelReport {
  const trace::KernelProfile& profile;
  const analysis::kernel_profile::KernelSummary& summary;
  const Diagnostics& findings;
  std::string input;               // as it was named; "-": standard input
  bool has_regions = true;         // the summary kept them; else lanes are read again
  double overhead_ticks = 0;       // taken off, per marker
  std::string compared_with = {};  // the other input
  const analysis::kernel_profile::KernelComparison* comparison =
      nullptr;                // from the other input (A) to this one (B)
  bool lists_regions = true;  // where all lanes are listed

  [[nodiscard]] const trace::KernelLane& lane(std::uint32_t index) const {
    return profile.lanes[index];
  }
  [[nodiscard]] const trace::KernelLaunch& launch(std::uint32_t index) const {
    return profile.launches[index];
  }
};

[[nodiscard]] std::string_view name_of(
    analysis::kernel_profile::RegionStatus status);  // "ok", "unmatched_begin", ...

// "block 3 group 1", or with the name that the format has for the group. With several launches
// "launch 2 block 3 group 1".
[[nodiscard]] std::string lane_words(const trace::KernelProfile& profile, std::uint32_t lane);

// "4 x 2 x 1"; trailing ones are left out: "4".
[[nodiscard]] std::string extent_words(const trace::Extent3& extent);

// Nothing ties cycles to nanoseconds: times are in cycles.
[[nodiscard]] bool is_in_cycles(const KernelReport& report);

// A duration as people read it: to the tenth of a nanosecond below a microsecond where cycles give
// it, and in cycles where nothing ties them to time.
[[nodiscard]] std::string kernel_time(const KernelReport& report, Time time);

// "at most 2.1 ns off"; empty where that is not known.
[[nodiscard]] std::string band_words(const KernelReport& report);

// Records that lanes passed but did not keep.
[[nodiscard]] std::uint64_t dropped_of(const trace::KernelLane& lane);

// Blocks that a picture shows, each with its groups as rows.
struct PicturedBlock {
  enum class Role : std::uint8_t { kLast, kMedian, kFirst, kOther };
  std::uint64_t block = 0;
  Role role = Role::kOther;          // kLast: it has the lane that ends last
  Time start;                        // what the left edge of its rows stands for
  std::vector<std::uint32_t> lanes;  // indices into the profile's lanes
};

struct KernelPicture {
  std::uint32_t launch = 0;  // index
  Time length;               // of every row
  // Blocks that ran one after the other on few multiprocessors would be dots on one axis; then each
  // is drawn from its own start.
  bool has_common_start = true;
  std::vector<PicturedBlock> blocks;
  std::uint64_t lanes_left_out = 0;  // of the launch
};

// The longest launch, and of its blocks all where they fit in `rows`; else the one that ends last,
// the median one and the first, as far as they fit. No blocks where there is nothing to draw.
[[nodiscard]] KernelPicture choose_picture(const KernelReport& report, std::size_t rows);

// The regions and instants of one lane on the common axis, kept by the summary or paired again.
struct DrawnKernelLane {
  std::vector<analysis::kernel_profile::TimedRegion> regions;  // by start
  std::vector<analysis::kernel_profile::TimedInstant> instants;
};
[[nodiscard]] Time end_of(const analysis::kernel_profile::TimedRegion& region);
[[nodiscard]] DrawnKernelLane drawn_lane(const KernelReport& report, std::uint32_t lane);

}  // namespace lockstep::report::kernel
