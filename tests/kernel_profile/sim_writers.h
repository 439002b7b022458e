// The bytes that each profiler would have left behind of a simulated execution.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator.h"
#include "trace/kernel_profile.h"

namespace lockstep::sim {

// Which marker of which true lane a decoder should find, in the order of the lane's records.
struct ExpectedLane {
  std::size_t true_lane = 0;
  std::uint64_t seen = 0;  // that the program passed, as far as the format can tell
  std::vector<TrueMarker> markers;
};

// A written file and what is in it.
struct SimFile {
  std::string format;  // of --format
  std::string bytes;
  std::string meta;                 // JSON beside the buffer; empty: none is needed
  std::vector<ExpectedLane> lanes;  // by launch, block, group
};

// As decoded by an errorless reader: for tests of what comes after the decoders.
[[nodiscard]] trace::KernelProfile to_profile(const TrueExecution& execution);

// u64 records with the low half of the timer, a stride between those of a lane. One launch each:
// these formats cannot tell launches apart, so the first is written.
[[nodiscard]] SimFile write_tvm(const TrueExecution& execution);
[[nodiscard]] SimFile write_flashinfer(const TrueExecution& execution);
[[nodiscard]] SimFile write_flashinfer_old(const TrueExecution& execution);

// All launches and channels.
[[nodiscard]] SimFile write_lkp(const TrueExecution& execution);
// Cycles; the first launch.
[[nodiscard]] SimFile write_proton(const TrueExecution& execution);
[[nodiscard]] SimFile write_mosaic(const TrueExecution& execution);
// Whole 64-bit times; the first launch.
[[nodiscard]] SimFile write_ikp(const TrueExecution& execution);
[[nodiscard]] SimFile write_iket(const TrueExecution& execution);

[[nodiscard]] std::vector<SimFile> write_all(const TrueExecution& execution);

}  // namespace lockstep::sim
