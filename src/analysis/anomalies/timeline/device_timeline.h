// All work of one device in the order in which it ran, over all its streams, and what it covers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algo/intervals/intervals.h"
#include "analysis/cycles/stream/kernel_stream.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep {

inline constexpr std::uint32_t kNoKernel = 0xFFFF'FFFF;

struct DeviceWork {
  Time start;
  Time end;
  EventId event = kNoEvent;
  EventId launched_by = kNoEvent;  // the host call, where the file says
  TrackId track{};
  StringId name{};
  Kind kind = Kind::kKernel;

  [[nodiscard]] Time duration() const { return end - start; }
};

// Coverings are in picoseconds, sorted, apart from each other; touching pieces are joined.
struct DeviceTimeline {
  RankId rank{};
  DeviceId device{};
  std::optional<std::int64_t> rank_number;
  std::string device_id;
  std::string source;           // the input of the rank
  bool is_told_by_rank = true;  // no other input has its rank

  std::vector<DeviceWork> kernels;  // kernels, communication, AI CPU; by (start, end, name)
  std::vector<DeviceWork> copies;   // copies and sets; by (start, end, name)
  std::vector<Interval> busy;       // of kernels: what bubbles are gaps of
  std::vector<Interval> any_busy;   // of kernels and copies
  std::vector<Interval> computing;  // of kernels without communication
  std::vector<Interval> communicating;
};

// Every device that ran a kernel, by (rank, device), from the streams of a trace.
[[nodiscard]] std::vector<DeviceTimeline> device_timelines(
    const Trace& trace, std::span<const KernelStream* const> streams);
[[nodiscard]] std::vector<DeviceTimeline> device_timelines(const Trace& trace);

}  // namespace lockstep
