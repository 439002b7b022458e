// Which of many stretches of time were open at a time: which annotation the host was in when it
// launched a kernel. The one index for that question; who asks chooses what goes in.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "base/time.h"

namespace lockstep::trace {

struct NoItem {
  friend auto operator<=>(const NoItem&, const NoItem&) = default;
};

// A stretch of time [start, end); `item` is what the asker wants to know of the one that it finds.
template <typename Item>
struct Window {
  Time start;
  Time end;
  [[no_unique_address]] Item item{};

  // Outer ones before inner ones: by start, a longer one first.
  friend bool operator<(const Window& a, const Window& b) {
    return std::tie(a.start, b.end, a.item) < std::tie(b.start, a.end, b.item);
  }
};

// Windows that overlap in any way; empty ones are left out. Building takes O(n log n), a question
// O(log n) for each answer.
template <typename Item = NoItem>
class WindowIndex {
 public:
  WindowIndex() = default;
  explicit WindowIndex(std::vector<Window<Item>> windows);

  [[nodiscard]] std::span<const Window<Item>> all() const { return all_; }  // outer before inner

  // How many are open at a time.
  [[nodiscard]] std::uint64_t count_at(Time at) const;
  // The one of them that began last, of several the shortest; null when none is open.
  [[nodiscard]] const Window<Item>* innermost_at(Time at) const;
  // Calls visit(window), outer ones before inner ones, for those that are open at any time of
  // [first, last].
  template <typename Visit>
  void for_each_in(Time first, Time last, Visit visit) const;

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  // How many begin at `at` or before.
  [[nodiscard]] std::size_t begun_at(Time at) const {
    const auto after = std::ranges::upper_bound(all_, at, {}, &Window<Item>::start);
    return static_cast<std::size_t>(after - all_.begin());
  }
  [[nodiscard]] Time latest_end(std::size_t node) const;
  // The last of the first `count` that ends after `at`, or kNone.
  [[nodiscard]] std::size_t last_open(std::size_t count, Time at) const;

  std::vector<Window<Item>> all_;
  std::vector<Time> ends_;  // ascending
  // A tree with all_ for leaves, node i above 2 i and 2 i + 1: the latest end below each node.
  std::vector<Time> latest_;
  std::size_t leaves_ = 0;
};

template <typename Item>
WindowIndex<Item>::WindowIndex(std::vector<Window<Item>> windows) : all_(std::move(windows)) {
  std::erase_if(all_, [](const Window<Item>& window) { return window.end <= window.start; });
  if (!std::is_sorted(all_.begin(), all_.end())) std::sort(all_.begin(), all_.end());
  ends_.reserve(all_.size());
  for (const Window<Item>& window : all_) ends_.push_back(window.end);
  if (!std::ranges::is_sorted(ends_)) std::ranges::sort(ends_);
  leaves_ = std::bit_ceil(all_.size());
  latest_.resize(leaves_);
  for (std::size_t i = leaves_; i-- > 1;)
    latest_[i] = std::max(latest_end(2 * i), latest_end(2 * i + 1));
}

template <typename Item>
Time WindowIndex<Item>::latest_end(std::size_t node) const {
  if (node < leaves_) return latest_[node];
  const std::size_t leaf = node - leaves_;
  return leaf < all_.size() ? all_[leaf].end : Time{std::numeric_limits<std::int64_t>::min()};
}

template <typename Item>
std::size_t WindowIndex<Item>::last_open(std::size_t count, Time at) const {
  if (count == 0) return kNone;
  std::size_t node = leaves_ + count - 1;
  if (latest_end(node) <= at) {
    // To the nearest node on the left that has an open one, and down to the last of those.
    while (node > 1 && (node % 2 == 0 || latest_end(node - 1) <= at)) node /= 2;
    if (node <= 1) return kNone;
    --node;
    while (node < leaves_) node = 2 * node + (latest_end(2 * node + 1) > at ? 1 : 0);
  }
  return node - leaves_;
}

template <typename Item>
std::uint64_t WindowIndex<Item>::count_at(Time at) const {
  const auto ended = std::ranges::upper_bound(ends_, at) - ends_.begin();
  return begun_at(at) - static_cast<std::uint64_t>(ended);
}

template <typename Item>
const Window<Item>* WindowIndex<Item>::innermost_at(Time at) const {
  const std::size_t found = last_open(begun_at(at), at);
  return found == kNone ? nullptr : &all_[found];
}

template <typename Item>
template <typename Visit>
void WindowIndex<Item>::for_each_in(Time first, Time last, Visit visit) const {
  const std::size_t begun = begun_at(first);
  std::vector<std::size_t> open;
  for (std::size_t i = last_open(begun, first); i != kNone; i = last_open(i, first)) {
    open.push_back(i);
  }
  for (std::size_t i = open.size(); i-- > 0;) visit(all_[open[i]]);
  for (std::size_t i = begun, end = begun_at(last); i < end; ++i) visit(all_[i]);
}

}  // namespace lockstep::trace
