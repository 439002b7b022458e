// Timestamps of a Perfetto file: unsigned nanoseconds in the clock of each rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/trace.h"

namespace lockstep::formats::perfetto {

// Where an event begins and ends in whole nanoseconds from the origin of its rank. Both ends are
// floored, so that events which touch still do. One that ends before it starts, which a viewer
// cannot show, ends at its start.
[[nodiscard]] std::int64_t begin_ns(const trace::EventTable& events, std::size_t row);
[[nodiscard]] std::int64_t end_ns(const trace::EventTable& events, std::size_t row);

class TimeScale {
 public:
  explicit TimeScale(const trace::Trace& trace);

  [[nodiscard]] std::uint64_t timestamp(trace::RankId rank, std::int64_t ns_from_origin) const {
    return zeros_[trace::index_of(rank)] + static_cast<std::uint64_t>(ns_from_origin);
  }
  [[nodiscard]] bool is_epoch(trace::RankId rank) const { return is_epoch_[trace::index_of(rank)]; }
  // The earliest timestamp of the ranks that count from the epoch.
  [[nodiscard]] std::optional<std::uint64_t> first_of_epoch() const { return first_of_epoch_; }

 private:
  std::vector<std::uint64_t> zeros_;  // origin of each rank, modulo 2^64
  std::vector<bool> is_epoch_;
  std::optional<std::uint64_t> first_of_epoch_;
};

}  // namespace lockstep::formats::perfetto
