// A stack where regions nest; where they cross, trees over ranks that count what a stack cannot.
#include "analysis/kernel_profile/regions/region_nesting.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "algo/sequences/natural_merge.h"

namespace lockstep::analysis::kernel_profile {
namespace {

using Ticks = std::vector<std::int64_t>;

// Fenwick's tree on `values`, which it clears to `size` times `neutral`: the total, under
// `Combine`, of what was put at places below one.
template <typename Combine>
class PrefixTree {
 public:
  PrefixTree(Ticks& values, std::size_t size, std::int64_t neutral)
      : values_(values), neutral_(neutral) {
    values_.assign(size + 1, neutral);
  }
  void put(std::size_t place, std::int64_t value) {
    for (++place; place < values_.size(); place += place & (~place + 1))
      values_[place] = Combine{}(values_[place], value);
  }
  [[nodiscard]] std::int64_t below(std::size_t place) const {
    std::int64_t total = neutral_;
    for (; place > 0; place &= place - 1) total = Combine{}(total, values_[place]);
    return total;
  }

 private:
  Ticks& values_;
  std::int64_t neutral_;
};

struct Greater {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const { return std::max(a, b); }
};
using CountTree = PrefixTree<std::plus<>>;
using MaxTree = PrefixTree<Greater>;

// How many are below, or not above, `value`.
std::size_t rank_below(const Ticks& sorted, std::int64_t value) {
  return static_cast<std::size_t>(std::ranges::lower_bound(sorted, value) - sorted.begin());
}
std::size_t rank_through(const Ticks& sorted, std::int64_t value) {
  return static_cast<std::size_t>(std::ranges::upper_bound(sorted, value) - sorted.begin());
}

bool is_empty(const LaneRegion& region) { return region.end <= region.begin; }

}  // namespace

void RegionNesting::nest(std::vector<LaneRegion>& regions, std::vector<RegionEdges>& edges,
                         bool knows_begins) {
  items_.clear();
  for (std::size_t i = 0; i < regions.size(); ++i) items_.push_back({regions[i], edges[i]});
  if (!knows_begins) set_begins();
  algo::natural_merge_sort(items_, [](const Item& a, const Item& b) {
    if (a.region.begin != b.region.begin) return a.region.begin < b.region.begin;
    if (a.region.end != b.region.end) return a.region.end > b.region.end;
    return a.edges.begin < b.edges.begin;
  });
  if (!nest_by_stack()) nest_by_counting();
  if (!knows_begins) count_markers();
  for (std::size_t i = 0; i < items_.size(); ++i) {
    regions[i] = items_[i].region;
    edges[i] = items_[i].edges;
  }
}

void RegionNesting::set_begins() {
  algo::natural_merge_sort(items_, [](const Item& a, const Item& b) {
    if (a.region.begin != b.region.begin) return a.region.begin < b.region.begin;
    if (a.region.end != b.region.end) return a.region.end > b.region.end;
    return is_empty(a.region) ? a.edges.end < b.edges.end : a.edges.end > b.edges.end;
  });
  for (std::size_t i = 0; i < items_.size(); ++i) {
    items_[i].edges.begin = static_cast<std::int64_t>(i);
  }
}

bool RegionNesting::nest_by_stack() {
  Ticks& stack = tree_;  // ends of those that enclose the next one
  stack.clear();
  for (auto& [region, edges] : items_) {
    region.is_crossing = false;
    while (!stack.empty() && stack.back() <= region.begin) stack.pop_back();
    if (is_empty(region) || (!stack.empty() && stack.back() < region.end)) return false;
    region.depth = static_cast<std::uint32_t>(stack.size());
    stack.push_back(region.end);
  }
  return true;
}

void RegionNesting::nest_by_counting() {
  ends_.clear();
  for (const Item& item : items_) ends_.push_back(item.region.end);
  std::ranges::sort(ends_);
  CountTree ended(tree_, items_.size(), 0);  // of those before, by rank of their end
  for (std::size_t i = 0; i < items_.size(); ++i) {
    LaneRegion& region = items_[i].region;
    const std::size_t rank = rank_below(ends_, region.end);
    region.is_crossing = false;
    region.depth = static_cast<std::uint32_t>(static_cast<std::int64_t>(i) - ended.below(rank));
    ended.put(rank, 1);
  }
  set_depths_of_empty();
  mark_crossed_from_left();
  mark_crossed_from_right();
}

// Those take the program's word: enclosed is what begins later and ends earlier there.
void RegionNesting::set_depths_of_empty() {
  if (std::ranges::none_of(items_, [](const Item& item) { return is_empty(item.region); })) return;
  Ticks places;
  std::vector<Item*> by_begin;
  for (Item& item : items_) {
    places.push_back(item.edges.end);
    by_begin.push_back(&item);
  }
  std::ranges::sort(places);
  std::ranges::sort(by_begin, {}, [](const Item* item) { return item->edges.begin; });
  CountTree ended(tree_, items_.size(), 0);
  std::int64_t before = 0;
  for (Item* item : by_begin) {
    const std::size_t rank = rank_below(places, item->edges.end);
    if (is_empty(item->region)) {
      item->region.depth = static_cast<std::uint32_t>(before - ended.below(rank));
    }
    ended.put(rank, 1);
    ++before;
  }
}

// Another began before it and ends inside it.
void RegionNesting::mark_crossed_from_left() {
  CountTree ended(tree_, items_.size(), 0);
  for (std::size_t first = 0, last = 0; first < items_.size(); first = last) {
    const std::int64_t begin = items_[first].region.begin;
    const std::size_t begun = rank_through(ends_, begin);
    for (last = first; last < items_.size() && items_[last].region.begin == begin; ++last) {
      LaneRegion& region = items_[last].region;
      if (is_empty(region)) continue;
      const std::size_t done = rank_below(ends_, region.end);
      if (ended.below(done) > ended.below(begun)) region.is_crossing = true;
    }
    for (std::size_t i = first; i < last; ++i)
      ended.put(rank_below(ends_, items_[i].region.end), 1);
  }
}

// Another begins inside it and ends after it.
void RegionNesting::mark_crossed_from_right() {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  MaxTree last_end(tree_, items_.size(), kLeast);  // of those behind, by place
  const auto begins_before = [&](std::int64_t tick) {
    const auto at =
        std::ranges::lower_bound(items_, tick, {}, [](const Item& i) { return i.region.begin; });
    return static_cast<std::size_t>(at - items_.begin());
  };
  for (std::size_t last = items_.size(), first = last; last > 0; last = first) {
    const std::int64_t begin = items_[last - 1].region.begin;
    for (first = last; first > 0 && items_[first - 1].region.begin == begin; --first) {
      LaneRegion& region = items_[first - 1].region;
      if (is_empty(region)) continue;
      if (last_end.below(begins_before(region.end)) > region.end) region.is_crossing = true;
    }
    for (std::size_t i = first; i < last; ++i) last_end.put(i, items_[i].region.end);
  }
}

// Of records of whole regions, which stand at one place though both edges cost time.
void RegionNesting::count_markers() {
  ends_.clear();
  for (const Item& item : items_) ends_.push_back(item.region.end);
  std::ranges::sort(ends_);
  std::size_t next = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    LaneRegion& region = items_[i].region;
    const auto begun = std::ranges::lower_bound(items_.begin() + static_cast<std::ptrdiff_t>(i),
                                                items_.end(), region.end, {},
                                                [](const Item& item) { return item.region.begin; });
    const auto begins =
        static_cast<std::size_t>(begun - items_.begin()) - i;  // its own for its end
    while (next < ends_.size() && ends_[next] <= region.begin) ++next;
    const std::size_t ended = rank_below(ends_, region.end);
    region.markers = static_cast<std::uint32_t>(std::max<std::size_t>(begins, 1) +
                                                (ended > next ? ended - next : 0));
  }
}

}  // namespace lockstep::analysis::kernel_profile
