// Search by name and start.
#include "formats/ascend_text/timeline_index.h"

#include <algorithm>
#include <tuple>

namespace lockstep::ascend_text {
namespace {

// Tables of 2023 write whole or tenths of microseconds; newer ones differ by 1 ns now and then.
constexpr Time kSlack{kPicosecondsPerMicrosecond};

Time distance(Time a, Time b) { return a < b ? b - a : a - b; }

}  // namespace

TimelineIndex::TimelineIndex(const Trace& trace, std::size_t first_row) : trace_(trace) {
  const EventTable& events = trace.events;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    const bool is_work = is_kernel(events.kind[i]) || events.kind[i] == Kind::kDuplicate;
    if (!is_work || events.shape[i] != Shape::kSpan || !trace.on_device(i)) continue;
    entries_.push_back({events.name[i], events.start[i], static_cast<std::uint32_t>(i), false});
  }
  std::ranges::sort(entries_, {},
                    [](const Entry& e) { return std::tuple(e.name, e.start, e.row); });
}

EventId TimelineIndex::take(StringId name, Time start, DeviceId device, TrackId track) {
  auto at = std::ranges::lower_bound(entries_, std::tuple(name, start - kSlack), {},
                                     [](const Entry& e) { return std::tuple(e.name, e.start); });
  Entry* best = nullptr;
  std::tuple<bool, Time> best_rank;
  for (; at != entries_.end() && at->name == name && at->start <= start + kSlack; ++at) {
    const Track& lane = trace_.track_of(at->row);
    if (at->taken || (device != kNoDevice && lane.device != device)) continue;
    const std::tuple rank(trace_.events.track[at->row] != track, distance(at->start, start));
    if (best != nullptr && best_rank <= rank) continue;
    best = &*at;
    best_rank = rank;
  }
  if (best == nullptr) return kNoEvent;
  best->taken = true;
  return EventId{best->row};
}

std::vector<EventId> TimelineIndex::left() const {
  std::vector<EventId> rows;
  for (const Entry& entry : entries_) {
    if (!entry.taken) rows.push_back(EventId{entry.row});
  }
  std::ranges::sort(rows, {}, [](EventId id) { return index_of(id); });
  return rows;
}

}  // namespace lockstep::ascend_text
