// What the host threads of a rank did, ready to be asked about any window of time.
//
// Events of a thread nest. A leaf is one with no other inside: only leaves count as work that is
// seen, because a frame around everything would cover every gap.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algo/intervals/intervals.h"
#include "base/time.h"
#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

// So many calls around an event are looked at: no program is as deep, but a file may be.
inline constexpr std::size_t kMostCallsAround = 4096;
// Every gap looks at every thread, so that of more than this the busiest are evidence.
inline constexpr std::size_t kMostEvidenceThreads = 1024;

struct HostThread {
  trace::TrackId track{};
  // Operators, runtime calls, synchronisations and Python frames by (start, longest first).
  std::vector<trace::EventId> events;
  std::vector<std::int32_t> parents;  // of events, as indices; -1 for none
  // Those of events that are leaves: starts and ends ascend, a leaf that ends before one that began
  // earlier is left out.
  std::vector<trace::EventId> leaves;
  std::vector<algo::Interval> syncs;  // coverings: synchronising and copying calls, with operators
  std::vector<algo::Interval> comms;  // that wait for them; communication
  std::vector<Time> python_starts;    // of all Python frames, ascending
  std::size_t deepest = 0;            // most events around one

  // Where an event stands in `events`; -1 when it is not there.
  [[nodiscard]] std::int32_t index_of_event(const trace::Trace& trace, trace::EventId event) const;
};

struct HostIndex {
  std::vector<HostThread> threads;        // those with events, by track
  std::vector<std::uint32_t> evidence{};  // threads that gaps look at, ascending
  std::vector<algo::Interval> overhead;   // covering of the profiler's own work
  bool has_events = false;
  bool has_python = false;

  // Which of `threads` an event is of; nothing for those of other ranks and of devices.
  [[nodiscard]] std::optional<std::size_t> thread_number(const trace::Trace& trace,
                                                         trace::EventId event) const;
  [[nodiscard]] const HostThread* thread_of(const trace::Trace& trace, trace::EventId event) const {
    const std::optional<std::size_t> i = thread_number(trace, event);
    return i ? &threads[*i] : nullptr;
  }
};

// By RankId.
[[nodiscard]] std::vector<HostIndex> index_hosts(const trace::Trace& trace);

}  // namespace lockstep::analysis::anomalies
