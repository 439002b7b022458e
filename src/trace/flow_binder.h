// Joins host calls and device work, and binds flow arrows to the events at their ends.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace lockstep::trace {

// One end of an arrow as trace files write it: an id, a lane and a time, but no event.
struct FlowEnd {
  enum class Role : std::uint8_t { kStart, kStep, kFinish };
  std::int64_t id = 0;
  StringId category{};
  TrackId track{};
  Time time;
  Role role = Role::kStart;
  bool binds_enclosing = true;     // to the event around its time; else to the next one that starts
  bool id_is_correlation = false;  // says nothing that a join by correlation has not said
  bool may_launch = true;          // false: no launch, although it leads from host to device
};

extern const DiagnosticKind kUnmatchedFlow;
extern const DiagnosticKind kReusedCorrelation;

// For each event on a device the host call that its correlation tells; kNoEvent where it tells
// none, and for all others. What bind() begins with.
[[nodiscard]] std::vector<EventId> launchers_by_correlation(const Trace& trace);

// Works on the events of one file: rows from `first_row` on. Where they are of several ranks,
// correlations and ids of arrows are those of a rank: nothing joins two of them.
class FlowBinder {
 public:
  explicit FlowBinder(Column<FlowEnd> ends) : ends_(std::move(ends)) {}

  // Appends to trace.flows: a launch for every device event whose correlation a host call has, then
  // an arrow for every start and finish that share category and id. Ends without a partner or
  // without an event are counted, not kept.
  void bind(Trace& trace, std::size_t first_row, Diagnostics& diagnostics);

 private:
  void join_by_correlation(Trace& trace, std::size_t first_row, Diagnostics& diagnostics);
  void drop_joined_ends(const Trace& trace);
  // Where the arrow that begins with end `first` ends; ends are sorted by arrow.
  [[nodiscard]] std::size_t end_of_arrow(std::size_t first) const;
  // Forgets arrows that have no start or no finish; returns how many ends those were.
  [[nodiscard]] std::uint64_t drop_ends_without_partner();
  [[nodiscard]] std::vector<EventId> events_at_ends(const Trace& trace,
                                                    std::size_t first_row) const;
  [[nodiscard]] std::uint64_t bind_group(std::size_t first, std::size_t last,
                                         const std::vector<EventId>& found, Trace& trace,
                                         std::size_t first_row);
  void add_arrow(EventId from, EventId to, const FlowEnd& end, Trace& trace, std::size_t first_row);
  [[nodiscard]] bool is_joined(RankId rank, std::int64_t correlation) const;
  // The rank of every track, so that ends can be sorted by it.
  void find_ranks(const Trace& trace);
  [[nodiscard]] RankId rank_of(const FlowEnd& end) const { return ranks_[index_of(end.track)]; }

  Column<FlowEnd> ends_;  // those still to be bound
  std::vector<RankId> ranks_;
  std::unordered_map<std::uint32_t, std::vector<bool>> joined_;  // by rank, by correlation
  std::vector<bool> launched_;  // by row from first_row: its launch is known
};

}  // namespace lockstep::trace
