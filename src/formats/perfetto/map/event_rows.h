// Begins and ends on their way to rows of the event table.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/diagnostics.h"
#include "trace/evidence.h"
#include "trace/trace.h"

namespace lockstep::formats::perfetto {

// Every lane is a stack: an end closes the innermost begin. Pairs are made in the order of the
// file, which is right also where a profiler writes each event whole, one after the other, without
// any order in time. Where that fails, on a lane whose times are out of order, the pairs of the
// lane are made again in the order of time, as viewers do.
//
// A row is added by its begin. Times are in ticks of the caller's choice.
class EventRows {
 public:
  using Lane = std::uint32_t;

  EventRows(trace::Trace& trace, trace::KeepArguments keep_arguments, Diagnostics& diagnostics)
      : trace_(trace),
        keep_arguments_(keep_arguments),
        diagnostics_(diagnostics),
        first_row_(trace.events.size()) {}

  [[nodiscard]] Lane add_lane();

  // An event that is whole.
  trace::EventId add(const trace::Event& row, std::span<const trace::Argument> arguments);
  // `duration`: known already, whatever the end says.
  trace::EventId begin(Lane lane, const trace::Event& row,
                       std::span<const trace::Argument> arguments,
                       std::optional<std::int64_t> duration, std::uint64_t offset);
  // A begin that is no row because its time makes no sense; its end belongs to it.
  void begin_nothing(Lane lane, std::uint64_t offset);
  // The row that it closes, or kNoEvent. An end with a name closes the innermost begin of that name
  // and leaves those inside it open for ever.
  trace::EventId end(Lane lane, std::int64_t time, StringId name, std::uint64_t offset);

  // Makes the pairs again where that is needed (lanes must be the tracks of their rows for this),
  // counts what has no partner, and marks begins without an end as dropped.
  void finish(bool may_pair_again);

  void drop(std::size_t row);  // to be taken out by compact()
  [[nodiscard]] bool is_dropped(std::size_t row) const;
  // Takes the dropped rows out; afterwards row i is at row moved_to(i).
  void compact();
  [[nodiscard]] std::optional<std::size_t> moved_to(std::size_t row) const;  // none: dropped

  [[nodiscard]] std::size_t first_row() const { return first_row_; }

 private:
  struct Open {
    std::uint32_t row = 0;
    bool has_duration = false;
    std::uint64_t offset = 0;
  };
  struct Stack {
    std::vector<Open> open;
    std::int64_t last_time = std::numeric_limits<std::int64_t>::min();
    bool is_disordered = false;
    bool has_trouble = false;
  };
  struct LonelyEnd {
    Lane lane = 0;
    std::int64_t time = 0;
    std::uint64_t offset = 0;
  };

  struct Edge {
    Lane lane = 0;
    std::int64_t time = 0;
    bool is_begin = false;
    std::uint32_t row = 0;  // of a begin
    std::uint64_t offset = 0;
  };

  void note_time(Stack& stack, std::int64_t time);
  void leave_open(const Open& open);
  [[nodiscard]] bool is_to_be_paired_again(Lane lane) const;
  [[nodiscard]] std::vector<Edge> take_edges();
  void pair_again();

  trace::Trace& trace_;
  trace::KeepArguments keep_arguments_;
  Diagnostics& diagnostics_;
  std::size_t first_row_;
  std::vector<Stack> stacks_;  // by lane
  std::vector<LonelyEnd> lonely_ends_;
  std::vector<Open> lonely_begins_;          // left open by an end with another name
  std::vector<std::uint32_t> whole_;         // rows of add(), ascending
  std::vector<bool> dropped_;                // by row from first_row_; as long as needed
  std::vector<std::uint32_t> dropped_rows_;  // ascending, once compact() was called
};

}  // namespace lockstep::formats::perfetto
