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

namespace lockstep::analysis::anomalies {

inline constexpr std::uint32_t kNoKernel = 0xFFFF'FFFF;

struct DeviceWork {
  Time start;
  Time end;
  trace::EventId event = trace::kNoEvent;
  trace::EventId launched_by = trace::kNoEvent;  // the host call, where the file says
  trace::TrackId track{};
  StringId name{};
  trace::Kind kind = trace::Kind::kKernel;

  [[nodiscard]] Time duration() const { return end - start; }
};

// Coverings are in picoseconds, sorted, apart from each other; touching pieces are joined.
struct DeviceTimeline {
  trace::RankId rank{};
  trace::DeviceId device{};
  std::optional<std::int64_t> rank_number;
  std::string device_id;
  std::string source;           // the input of the rank
  bool is_told_by_rank = true;  // no other input has its rank

  std::vector<DeviceWork> kernels;        // kernels, communication, AI CPU; by (start, end, name)
  std::vector<DeviceWork> copies;         // copies and sets; by (start, end, name)
  std::vector<algo::Interval> busy;       // of kernels: what bubbles are gaps of
  std::vector<algo::Interval> any_busy;   // of kernels and copies
  std::vector<algo::Interval> computing;  // of kernels without communication
  std::vector<algo::Interval> communicating;
};

// Every device that ran a kernel, by (rank, device), from the streams of a trace.
[[nodiscard]] std::vector<DeviceTimeline> device_timelines(
    const trace::Trace& trace, std::span<const cycles::KernelStream* const> streams);
[[nodiscard]] std::vector<DeviceTimeline> device_timelines(const trace::Trace& trace);

}  // namespace lockstep::analysis::anomalies
