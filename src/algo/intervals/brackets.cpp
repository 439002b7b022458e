// Ordering of brackets, and their longest rising subsequence.
#include "algo/intervals/brackets.h"

#include <algorithm>
#include <limits>
#include <span>

namespace lockstep::algo {
namespace {

std::int64_t middle(const Bracket& bracket) {
  return bracket.low + (bracket.high - bracket.low) / 2;
}

bool all_rise(std::span<const Bracket> brackets) {
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const Bracket& bracket : brackets) {
    if (bracket.high < reached) return false;
    reached = std::max(reached, bracket.low);
  }
  return true;
}

}  // namespace

std::size_t merge_brackets(std::vector<Bracket>& brackets) {
  std::ranges::sort(brackets, [](const Bracket& a, const Bracket& b) {
    if (a.x != b.x) return a.x < b.x;
    const auto width_a = a.high - a.low;
    const auto width_b = b.high - b.low;
    return width_a != width_b ? width_a < width_b : a.low < b.low;
  });
  std::size_t contradictions = 0;
  std::size_t kept = 0;
  for (const Bracket& next : brackets) {
    if (kept == 0 || brackets[kept - 1].x != next.x) {
      brackets[kept++] = next;
      continue;
    }
    Bracket& merged = brackets[kept - 1];
    const std::int64_t low = std::max(merged.low, next.low);
    const std::int64_t high = std::min(merged.high, next.high);
    if (low > high) {
      ++contradictions;
    } else {
      merged.low = low;
      merged.high = high;
    }
  }
  brackets.resize(kept);
  return contradictions;
}

std::size_t keep_rising(std::vector<Bracket>& brackets) {
  if (all_rise(brackets)) return 0;
  // Patience sorting by middles: ends[k] is the bracket with the least middle that ends a rising
  // subsequence of k + 1 brackets.
  constexpr auto kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> ends;
  std::vector<std::size_t> before(brackets.size(), kNone);
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    const auto place = std::ranges::upper_bound(ends, middle(brackets[i]), {},
                                                [&](std::size_t e) { return middle(brackets[e]); });
    if (place != ends.begin()) before[i] = *std::prev(place);
    if (place == ends.end()) {
      ends.push_back(i);
    } else {
      *place = i;
    }
  }
  std::vector<Bracket> kept;
  kept.reserve(ends.size());
  for (std::size_t i = ends.back(); i != kNone; i = before[i]) kept.push_back(brackets[i]);
  std::ranges::reverse(kept);
  const std::size_t dropped = brackets.size() - kept.size();
  brackets = std::move(kept);
  return dropped;
}

}  // namespace lockstep::algo
