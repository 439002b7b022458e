// Greedy first-fit of slices to lanes.
#include "formats/perfetto/map/slice_lanes.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <utility>

namespace lockstep::formats::perfetto {
namespace {

constexpr std::int64_t kFree = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kNoLane = std::numeric_limits<std::int64_t>::min();

// For each lane the latest end that a new slice may have there; finds the first lane that allows
// one. A tournament tree, so that a trace of a million mutually overlapping slices stays cheap.
class LaneLimits {
 public:
  void set(std::size_t lane, std::int64_t limit) {
    std::size_t node = leaf_count_ + lane;
    tree_[node] = limit;
    for (node /= 2; node >= 1; node /= 2) {
      tree_[node] = std::max(tree_[2 * node], tree_[2 * node + 1]);
    }
  }

  // The first lane whose limit is at least `end`.
  [[nodiscard]] std::optional<std::size_t> first_for(std::int64_t end) const {
    if (tree_[1] < end) return std::nullopt;
    std::size_t node = 1;
    while (node < leaf_count_) node = tree_[2 * node] >= end ? 2 * node : 2 * node + 1;
    return node - leaf_count_;
  }

  // Makes room for a lane beyond the last.
  void grow_to(std::size_t lane_count) {
    if (lane_count <= leaf_count_) return;
    const std::vector<std::int64_t> limits(tree_.begin() + static_cast<std::ptrdiff_t>(leaf_count_),
                                           tree_.end());
    leaf_count_ *= 2;
    tree_.assign(2 * leaf_count_, kNoLane);
    for (std::size_t lane = 0; lane < limits.size(); ++lane) set(lane, limits[lane]);
  }

 private:
  std::size_t leaf_count_ = 1;
  std::vector<std::int64_t> tree_ = {kNoLane, kNoLane};  // root at 1, leaves from leaf_count_
};

class LaneAssigner {
 public:
  explicit LaneAssigner(const std::function<void(const SliceEdge&)>& on_edge) : on_edge_(on_edge) {}

  void add(const Slice& slice) {
    close_until(slice.begin);
    const std::size_t lane = limits_.first_for(slice.end).value_or(open_.size());
    if (lane == open_.size()) {
      open_.emplace_back();
      limits_.grow_to(open_.size());
    }
    open_[lane].push_back({slice.end, slice.row});
    limits_.set(lane, slice.end);
    ends_.push({slice.end, lane});
    on_edge_({slice.begin, slice.row, static_cast<std::uint32_t>(lane), true});
  }

  void finish() { close_until(kFree); }

 private:
  struct OpenSlice {
    std::int64_t end;
    std::uint32_t row;
  };
  struct PendingEnd {
    std::int64_t end;
    std::size_t lane;
    bool operator>(const PendingEnd& other) const {
      return end != other.end ? end > other.end : lane > other.lane;
    }
  };

  // On one lane ends come in the order of its stack, because an inner slice never ends later.
  void close_until(std::int64_t time) {
    while (!ends_.empty() && ends_.top().end <= time) {
      const auto [end, lane] = ends_.top();
      ends_.pop();
      std::vector<OpenSlice>& stack = open_[lane];
      on_edge_({end, stack.back().row, static_cast<std::uint32_t>(lane), false});
      stack.pop_back();
      limits_.set(lane, stack.empty() ? kFree : stack.back().end);
    }
  }

  const std::function<void(const SliceEdge&)>& on_edge_;
  LaneLimits limits_;
  std::vector<std::vector<OpenSlice>> open_;  // by lane, innermost last
  std::priority_queue<PendingEnd, std::vector<PendingEnd>, std::greater<>> ends_;
};

bool comes_before(const Slice& a, const Slice& b) {
  if (a.begin != b.begin) return a.begin < b.begin;
  if (a.end != b.end) return a.end > b.end;
  return a.row < b.row;
}

}  // namespace

void assign_lanes(std::vector<Slice> slices, const std::function<void(const SliceEdge&)>& on_edge) {
  if (!std::ranges::is_sorted(slices, comes_before)) std::ranges::sort(slices, comes_before);
  LaneAssigner assigner(on_edge);
  for (const Slice& slice : slices) assigner.add(slice);
  assigner.finish();
}

}  // namespace lockstep::formats::perfetto
