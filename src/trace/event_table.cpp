// Appending to and reading rows of the event columns.
#include "trace/event_table.h"

namespace lockstep {

EventId EventTable::add(const Event& event) {
  start.push_back(event.start);
  duration.push_back(event.duration);
  name.push_back(event.name);
  category.push_back(event.category);
  track.push_back(event.track);
  kind.push_back(event.kind);
  shape.push_back(event.shape);
  correlation.push_back(event.correlation);
  return EventId{static_cast<std::uint32_t>(start.size() - 1)};
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

Event EventTable::row(EventId id) const {
  const std::size_t i = index_of(id);
  return {start[i], duration[i], name[i], category[i], track[i], kind[i], shape[i], correlation[i]};
}

}  // namespace lockstep
