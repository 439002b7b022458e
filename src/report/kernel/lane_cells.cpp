// One sweep over the regions, the open ones on a stack.
#include "report/kernel/lane_cells.h"

#include <algorithm>
#include <map>
#include <utility>

namespace lockstep::report::kernel {
namespace {

class CellTally {
 public:
  CellTally(Time start, Time length, std::size_t columns)
      : start_(start), length_(length), tallies_(columns) {}

  // `event` counts from `from` to `to`, clipped to what is drawn.
  void add(std::uint32_t event, Time from, Time to) {
    from = std::max(from, start_);
    to = std::min(to, start_ + length_);
    if (from >= to) return;
    std::size_t cell = cell_of(from);
    while (from < to) {
      const Time end = std::min(to, begin_of(cell + 1));
      if (from < end) add_to_cell(cell, event, end - from);
      from = end;
      ++cell;
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> shown(std::size_t cell) const {
    WideTime covered = 0;
    const Share* longest = nullptr;
    for (const Share& share : tallies_[cell]) {
      covered += share.time.ps;
      if (longest == nullptr || share.time > longest->time) longest = &share;
    }
    const WideTime whole = (begin_of(cell + 1) - begin_of(cell)).ps;
    if (longest == nullptr || covered * kLeastPartOfCell < whole) return std::nullopt;
    return longest->event;
  }

 private:
  struct Share {
    std::uint32_t event;
    Time time;
  };

  // Where each event of a cell is: looking for it would take time with every event there.
  void add_to_cell(std::size_t cell, std::uint32_t event, Time time) {
    std::vector<Share>& shares = tallies_[cell];
    const auto [place, is_new] = places_.try_emplace({cell, event}, shares.size());
    if (is_new) {
      shares.push_back({event, time});
    } else {
      shares[place->second].time += time;
    }
  }

  [[nodiscard]] Time begin_of(std::size_t cell) const {
    const WideTime offset =
        WideTime{length_.ps} * static_cast<WideTime>(cell) / static_cast<WideTime>(tallies_.size());
    return start_ + Time{static_cast<std::int64_t>(offset)};
  }

  // The last cell that begins at `time` or before it.
  [[nodiscard]] std::size_t cell_of(Time time) const {
    const WideTime scaled = WideTime{(time - start_).ps} * static_cast<WideTime>(tallies_.size());
    auto cell = static_cast<std::size_t>(scaled / length_.ps);
    while (cell + 1 < tallies_.size() && begin_of(cell + 1) <= time) ++cell;
    return cell;
  }

  Time start_;
  Time length_;
  std::vector<std::vector<Share>> tallies_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> places_;
};

}  // namespace

std::vector<std::optional<std::uint32_t>> cells_of_lane(std::span<const CellRegion> regions,
                                                        Time start, Time length,
                                                        std::size_t columns) {
  if (length.ps <= 0 || columns == 0) return std::vector<std::optional<std::uint32_t>>(columns);
  CellTally tally(start, length, columns);
  std::vector<const CellRegion*> open;
  std::size_t next = 0;
  Time now;
  while (next < regions.size() || !open.empty()) {
    while (!open.empty() && open.back()->end <= now) open.pop_back();
    const bool has_next = next < regions.size();
    if (open.empty()) {
      if (!has_next) break;
      now = regions[next].start;
    } else {
      const Time until =
          has_next ? std::min(open.back()->end, regions[next].start) : open.back()->end;
      tally.add(open.back()->event, now, until);
      now = std::max(now, until);
    }
    while (next < regions.size() && regions[next].start <= now) open.push_back(&regions[next++]);
  }
  std::vector<std::optional<std::uint32_t>> cells;
  for (std::size_t i = 0; i < columns; ++i) cells.push_back(tally.shown(i));
  return cells;
}

}  // namespace lockstep::report::kernel
