// Intervals on a line: unions, overlaps, order. Pure functions on spans, in any integer unit.
//
// Intervals are half-open. One whose end is not after its begin is empty: it covers nothing and
// overlaps nothing. Lengths are unsigned, so that no pair of 64-bit ends can overflow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::algo {

struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;

  [[nodiscard]] constexpr bool is_empty() const { return end <= begin; }
  friend constexpr bool operator==(const Interval&, const Interval&) = default;
};

// From `low` to `high`, which is not below it.
[[nodiscard]] constexpr std::uint64_t distance_between(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

// By begin; linear when they are in order already, as the events of a stream mostly are.
void sort_by_begin(std::span<Interval> intervals);

// Replaces intervals by what they cover: the fewest intervals, sorted and apart from each other.
void reduce_to_covering(std::vector<Interval>& intervals);

// What any of several such coverings covers; n log k for n intervals in k coverings.
[[nodiscard]] std::vector<Interval> merge_coverings(std::vector<std::vector<Interval>> coverings);

// Length of what two coverings both cover; linear.
[[nodiscard]] std::uint64_t shared_length(std::span<const Interval> a, std::span<const Interval> b);

// Sum of the lengths of intervals that do not overlap.
[[nodiscard]] std::uint64_t total_length(std::span<const Interval> disjoint);

// Length of the union of intervals in any order.
[[nodiscard]] std::uint64_t union_length(std::span<const Interval> intervals);

// How often something was seen along a sequence, and where first.
struct Sightings {
  std::uint64_t count = 0;
  std::optional<std::int64_t> first_at;  // the begin of the interval that was seen

  friend bool operator==(const Sightings&, const Sightings&) = default;
};

// Intervals that begin before an earlier one of the sorted sequence has ended.
[[nodiscard]] Sightings find_overlaps(std::span<const Interval> sorted);

// Intervals that end more than `margin` before their predecessor in the sorted sequence does.
[[nodiscard]] Sightings find_contained(std::span<const Interval> sorted, std::uint64_t margin);

// Intervals that begin before their predecessor in the sequence begins.
[[nodiscard]] Sightings find_out_of_order(std::span<const Interval> sequence);

}  // namespace lockstep::algo
