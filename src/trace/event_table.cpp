// Appending to and reading rows of the event columns.
#include "trace/event_table.h"

namespace lockstep::trace {
namespace {

constexpr std::size_t kFirstRows = 1024;

}  // namespace

EventId EventTable::add(const Event& event) {
  const std::size_t row = start.size();
  if (row == start.capacity()) reserve(row < kFirstRows ? kFirstRows : 2 * row);
  start.append_within_capacity(event.start);
  duration.append_within_capacity(event.duration);
  name.append_within_capacity(event.name);
  category.append_within_capacity(event.category);
  track.append_within_capacity(event.track);
  kind.append_within_capacity(event.kind);
  shape.append_within_capacity(event.shape);
  correlation.append_within_capacity(event.correlation);
  return EventId{static_cast<std::uint32_t>(row)};
}

void EventTable::reserve(std::size_t rows) {
  start.reserve(rows);
  duration.reserve(rows);
  name.reserve(rows);
  category.reserve(rows);
  track.reserve(rows);
  kind.reserve(rows);
  shape.reserve(rows);
  correlation.reserve(rows);
}

void EventTable::truncate(std::size_t rows) {
  start.truncate(rows);
  duration.truncate(rows);
  name.truncate(rows);
  category.truncate(rows);
  track.truncate(rows);
  kind.truncate(rows);
  shape.truncate(rows);
  correlation.truncate(rows);
}

Event EventTable::row(EventId id) const {
  const std::size_t i = index_of(id);
  return {start[i], duration[i], name[i], category[i], track[i], kind[i], shape[i], correlation[i]};
}

}  // namespace lockstep::trace
