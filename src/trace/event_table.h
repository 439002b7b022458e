// The events of a trace as columns: one row an event, no heap object per event.
#pragma once

#include <cstdint>

#include "base/column.h"
#include "base/string_pool.h"
#include "base/time.h"
#include "trace/kind.h"

namespace lockstep::trace {

enum class TrackId : std::uint32_t {};
enum class EventId : std::uint32_t {};
inline constexpr EventId kNoEvent{0xFFFF'FFFF};

[[nodiscard]] constexpr std::size_t index_of(TrackId id) { return static_cast<std::size_t>(id); }
[[nodiscard]] constexpr std::size_t index_of(EventId id) { return static_cast<std::size_t>(id); }

// How an event lies in time.
enum class Shape : std::uint8_t {
  kSpan,     // [start, start + duration)
  kInstant,  // a point; duration is 0
  kCounter,  // a sample of one or more values; duration is 0, the values are arguments
};

inline constexpr std::int64_t kNoCorrelation = -1;

// One row, for handing over; the table stores columns.
struct Event {
  Time start;
  Time duration;
  StringId name{};
  StringId category{};  // what the file called its kind; empty when it did not say
  TrackId track{};
  Kind kind = Kind::kHostOp;
  Shape shape = Shape::kSpan;
  std::int64_t correlation = kNoCorrelation;  // joins a host call and its device work
};

class EventTable {
 public:
  EventId add(const Event& event);
  void reserve(std::size_t rows);
  void truncate(std::size_t rows);  // forgets the rows from there on
  [[nodiscard]] std::size_t size() const { return start.size(); }
  [[nodiscard]] Event row(EventId id) const;
  [[nodiscard]] Time end(std::size_t i) const { return start[i] + duration[i]; }

  // Rows are in the order in which the reader met them, not in time order.
  Column<Time> start;
  Column<Time> duration;
  Column<StringId> name;
  Column<StringId> category;
  Column<TrackId> track;
  Column<Kind> kind;
  Column<Shape> shape;
  Column<std::int64_t> correlation;
};

}  // namespace lockstep::trace
