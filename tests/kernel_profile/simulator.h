// A random execution of kernels with in-kernel markers whose true times are known, and its bytes in
// every format that `kernel decode` reads. The decoders were written from the same reference by
// other hands, so that a misreading shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/kernel_profile.h"
#include "true_clock.h"

namespace lockstep::sim {

struct SimOptions {
  std::uint64_t seed = 1;
  std::uint32_t multiprocessors = 8;
  std::uint32_t cluster = 1;  // neighbouring multiprocessors that share a counter
  std::uint32_t blocks = 16;
  std::uint32_t groups = 2;
  std::uint32_t launches = 1;
  std::uint32_t channels = 1;
  std::uint32_t events = 6;
  std::uint32_t max_markers = 60;      // of a lane
  std::int64_t max_pause_ns = 6'000;   // between two markers
  std::uint32_t capacity = 1'000'000;  // records of a lane
  bool is_ring = false;
  bool has_regions = false;  // one record per region (.lkp only)
  std::int64_t timer_tick_ns = 32;
  std::int64_t anchor_interval_ns = 20'000;  // 0: none between begin and end
  std::int64_t read_cycles = 7;              // between two polls of an anchor
  double migration = 0;                      // probability, of a lane
  double lost_marker = 0;                    // probability that a begin or end is not there
  double not_finalized = 0;
  bool wraps_counters = true;  // 32-bit counters wrap inside the launch
  bool wraps_timer = false;    // so does the low half of the timer
  WanderOptions wander;
};

struct TrueMarker {
  std::int64_t at_ps = 0;
  std::int64_t end_ps = 0;  // of a region record
  trace::RecordType type = trace::RecordType::kBegin;
  std::uint32_t event = 0;
  std::uint32_t payload = 0;
  bool is_async = false;
  bool has_payload = false;
};

struct TrueAnchor {
  std::int64_t timer_ns = 0;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

struct TrueLane {
  std::uint32_t launch = 0;
  std::uint64_t block = 0;
  std::uint32_t group = 0;
  std::uint32_t sm = 0;
  std::uint32_t sm_end = 0;
  std::int64_t start_ps = 0;
  std::int64_t migration_ps = 0;  // from here on the counter is that of sm_end
  std::int64_t end_ps = 0;
  bool is_finalized = true;
  std::vector<TrueMarker> markers;  // all that the program passed
  std::vector<TrueAnchor> anchors;  // begin, interior, end
};

struct TrueLaunch {
  std::uint32_t channel = 0;
  std::uint64_t number = 0;
  std::int64_t start_ps = 0;
  std::int64_t end_ps = 0;
};

struct TrueExecution {
  SimOptions options;
  TrueTimer timer;
  std::vector<TrueCounter> counters;  // by multiprocessor
  std::vector<TrueLaunch> launches;
  std::vector<TrueLane> lanes;  // by launch, block, group
  std::vector<std::string> event_names;

  // What no counter exceeds.
  [[nodiscard]] double highest_ghz() const;
  // What the lane's counter shows.
  [[nodiscard]] std::int64_t cycles(const TrueLane& lane, std::int64_t at_ps) const;
};

[[nodiscard]] TrueExecution simulate(const SimOptions& options);

// Which of the lane's markers a buffer of `capacity` records keeps: [first, first + count).
struct KeptMarkers {
  std::size_t first = 0;
  std::size_t count = 0;
};
[[nodiscard]] KeptMarkers kept_markers(const TrueLane& lane, const SimOptions& options);

}  // namespace lockstep::sim
