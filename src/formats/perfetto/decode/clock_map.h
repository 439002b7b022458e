// Clocks of a Perfetto file: snapshots that relate them, and the conversion of timestamps.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <protozero/data_view.hpp>

namespace lockstep::formats::perfetto {

// A clock: its number, and for the numbers 64 to 127 the sequence that it belongs to.
using ClockKey = std::uint64_t;
[[nodiscard]] ClockKey clock_key(std::uint32_t clock, std::uint32_t sequence);

// Timestamps are converted as Perfetto does: by the last snapshot at or before them, or else the
// first, with slope 1, over as few other clocks as possible.
class ClockMap {
 public:
  // Takes the ClockSnapshot of a packet of `sequence`.
  void take(protozero::data_view bytes, std::uint32_t sequence);

  // Nanoseconds in `clock` of a timestamp as a packet writes it: units and increments resolved.
  // Nothing when that is beyond 64 bits.
  [[nodiscard]] std::optional<std::int64_t> resolve(ClockKey clock, std::uint64_t timestamp);
  // Nanoseconds of `from` in clock `to`; nothing when no snapshot relates them.
  [[nodiscard]] std::optional<std::int64_t> convert(ClockKey from, ClockKey to, std::int64_t ns);

  [[nodiscard]] bool is_empty() const { return snapshots_ == 0; }
  // The clock that the file itself counts in, where it says so.
  [[nodiscard]] std::optional<std::uint32_t> primary() const { return primary_; }

 private:
  struct Reading {
    std::uint32_t snapshot = 0;
    std::int64_t ns = 0;
  };
  struct ClockFacts {
    std::vector<Reading> readings;  // in the order of the file
    bool is_incremental = false;
    std::uint64_t unit_ns = 1;
    std::int64_t last_ns = 0;  // of an incremental clock
  };
  // The readings that two clocks share, brought up to date when asked for.
  struct Pair {
    std::vector<std::pair<std::int64_t, std::int64_t>> points;
    std::size_t used_from = 0;  // readings of each clock that have been looked at
    std::size_t used_to = 0;
  };

  [[nodiscard]] const Pair& pair(ClockKey from, ClockKey to);
  [[nodiscard]] std::optional<std::int64_t> step(ClockKey from, ClockKey to, std::int64_t ns);
  // The clocks on the way, both ends included; empty when there is no way.
  [[nodiscard]] const std::vector<ClockKey>& path(ClockKey from, ClockKey to);
  [[nodiscard]] std::vector<ClockKey> find_path(ClockKey from, ClockKey to) const;

  std::uint32_t snapshots_ = 0;
  std::vector<std::vector<ClockKey>> clocks_of_snapshot_;
  std::optional<std::uint32_t> primary_;
  std::unordered_map<ClockKey, ClockFacts> clocks_;
  std::map<std::pair<ClockKey, ClockKey>, Pair> pairs_;
  struct Path {
    std::vector<ClockKey> clocks;
    std::uint32_t searched_at = 0;  // number of snapshots
    int searches = 0;
  };
  std::map<std::pair<ClockKey, ClockKey>, Path> paths_;
};

}  // namespace lockstep::formats::perfetto
