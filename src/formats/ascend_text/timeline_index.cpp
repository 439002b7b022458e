// Search by name and start.
#include "formats/ascend_text/timeline_index.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lockstep::formats::ascend_text {
namespace {

// Tables of 2023 write whole or tenths of microseconds; newer ones differ by 1 ns now and then.
constexpr Time kSlack{kPicosecondsPerMicrosecond};
// Kernels of one name that begin within the slack: one for each stream of each device, and few
// more. Without an end to it damaged times would take quadratic time.
constexpr int kMostCandidates = 128;

Time distance(Time a, Time b) { return a < b ? b - a : a - b; }

}  // namespace

TimelineIndex::TimelineIndex(const trace::Trace& trace, std::size_t first_row) : trace_(trace) {
  const trace::EventTable& events = trace.events;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    const bool is_work =
        trace::is_kernel(events.kind[i]) || events.kind[i] == trace::Kind::kDuplicate;
    if (!is_work || events.shape[i] != trace::Shape::kSpan || !trace.on_device(i)) continue;
    entries_.push_back({events.name[i], events.start[i], static_cast<std::uint32_t>(i)});
  }
  std::ranges::sort(entries_, {},
                    [](const Entry& e) { return std::tuple(e.name, e.start, e.row); });
  next_.resize(entries_.size() + 1);
  std::iota(next_.begin(), next_.end(), 0U);
}

std::size_t TimelineIndex::free_from(std::size_t entry) {
  while (next_[entry] != entry) {
    next_[entry] = next_[next_[entry]];
    entry = next_[entry];
  }
  return entry;
}

trace::EventId TimelineIndex::take(StringId name, Time start, trace::DeviceId device,
                                   trace::TrackId track) {
  const auto first =
      std::ranges::lower_bound(entries_, std::tuple(name, start - kSlack), {},
                               [](const Entry& e) { return std::tuple(e.name, e.start); });
  std::size_t best = entries_.size();
  std::tuple<bool, Time> best_rank;
  std::size_t at = free_from(static_cast<std::size_t>(first - entries_.begin()));
  for (int looked_at = 0; looked_at < kMostCandidates && at < entries_.size(); ++looked_at) {
    const Entry& entry = entries_[at];
    if (entry.name != name || entry.start > start + kSlack) break;
    const bool is_other_track = track != kNoTrack && trace_.events.track[entry.row] != track;
    const std::tuple rank(is_other_track, distance(entry.start, start));
    const bool may_be = device == trace::kNoDevice || trace_.track_of(entry.row).device == device;
    if (may_be && (best == entries_.size() || rank < best_rank)) {
      best = at;
      best_rank = rank;
      if (rank == std::tuple(false, Time{0})) break;
    }
    at = free_from(at + 1);
  }
  if (best == entries_.size()) return trace::kNoEvent;
  next_[best] = static_cast<std::uint32_t>(best + 1);
  return trace::EventId{entries_[best].row};
}

std::vector<trace::EventId> TimelineIndex::left() const {
  std::vector<trace::EventId> rows;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (next_[i] == i) rows.push_back(trace::EventId{entries_[i].row});
  }
  std::ranges::sort(rows, {}, [](trace::EventId id) { return trace::index_of(id); });
  return rows;
}

}  // namespace lockstep::formats::ascend_text
