// Sweeps over sorted intervals.
#include "algo/intervals/intervals.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace lockstep::algo {
namespace {

// The union of two coverings.
std::vector<Interval> merge_two(std::span<const Interval> a, std::span<const Interval> b) {
  std::vector<Interval> covering;
  covering.reserve(a.size() + b.size());
  while (!a.empty() || !b.empty()) {
    auto& first = b.empty() || (!a.empty() && a.front().begin <= b.front().begin) ? a : b;
    const Interval& next = first.front();
    if (!covering.empty() && next.begin <= covering.back().end) {
      covering.back().end = std::max(covering.back().end, next.end);
    } else {
      covering.push_back(next);
    }
    first = first.subspan(1);
  }
  return covering;
}

void see(Sightings& sightings, const Interval& interval) {
  ++sightings.count;
  if (!sightings.first_at) sightings.first_at = interval.begin;
}

std::uint64_t union_length_of_sorted(std::span<const Interval> sorted) {
  std::uint64_t length = 0;
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const Interval& interval : sorted) {
    const std::int64_t begin = std::max(interval.begin, reached);
    if (interval.end <= begin) continue;
    length += distance_between(begin, interval.end);
    reached = interval.end;
  }
  return length;
}

}  // namespace

void sort_by_begin(std::span<Interval> intervals) {
  if (std::ranges::is_sorted(intervals, {}, &Interval::begin)) return;
  std::ranges::sort(intervals, {}, &Interval::begin);
}

void reduce_to_covering(std::vector<Interval>& intervals) {
  sort_by_begin(intervals);
  auto last = intervals.begin();  // behind the covering so far
  for (const Interval& next : intervals) {
    if (next.is_empty()) continue;
    if (last != intervals.begin() && next.begin <= std::prev(last)->end) {
      std::prev(last)->end = std::max(std::prev(last)->end, next.end);
    } else {
      *last++ = next;
    }
  }
  intervals.erase(last, intervals.end());
}

std::vector<Interval> merge_coverings(std::vector<std::vector<Interval>> coverings) {
  if (coverings.empty()) return {};
  // Neighbours in pairs, again and again, as in a merge sort.
  for (std::size_t step = 1; step < coverings.size(); step *= 2) {
    for (std::size_t i = 0; i + step < coverings.size(); i += 2 * step) {
      coverings[i] = merge_two(coverings[i], coverings[i + step]);
      coverings[i + step] = {};
    }
  }
  return std::move(coverings.front());
}

std::uint64_t shared_length(std::span<const Interval> a, std::span<const Interval> b) {
  std::uint64_t length = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t begin = std::max(a[i].begin, b[j].begin);
    const std::int64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) length += distance_between(begin, end);
    ++(a[i].end < b[j].end ? i : j);
  }
  return length;
}

std::uint64_t total_length(std::span<const Interval> disjoint) {
  std::uint64_t length = 0;
  for (const Interval& interval : disjoint) {
    if (!interval.is_empty()) length += distance_between(interval.begin, interval.end);
  }
  return length;
}

std::uint64_t union_length(std::span<const Interval> intervals) {
  if (std::ranges::is_sorted(intervals, {}, &Interval::begin)) {
    return union_length_of_sorted(intervals);
  }
  std::vector<Interval> sorted(intervals.begin(), intervals.end());
  std::ranges::sort(sorted, {}, &Interval::begin);
  return union_length_of_sorted(sorted);
}

Sightings find_overlaps(std::span<const Interval> sorted) {
  Sightings overlaps;
  std::int64_t reached = std::numeric_limits<std::int64_t>::min();
  for (const Interval& interval : sorted) {
    if (interval.is_empty()) continue;
    if (interval.begin < reached) see(overlaps, interval);
    reached = std::max(reached, interval.end);
  }
  return overlaps;
}

Sightings find_contained(std::span<const Interval> sorted, std::uint64_t margin) {
  Sightings contained;
  const Interval* previous = nullptr;
  for (const Interval& interval : sorted) {
    if (interval.is_empty()) continue;
    if (previous != nullptr && interval.end < previous->end &&
        distance_between(interval.end, previous->end) > margin) {
      see(contained, interval);
    }
    previous = &interval;
  }
  return contained;
}

Sightings find_out_of_order(std::span<const Interval> sequence) {
  Sightings inversions;
  for (std::size_t i = 1; i < sequence.size(); ++i) {
    if (sequence[i].begin < sequence[i - 1].begin) see(inversions, sequence[i]);
  }
  return inversions;
}

}  // namespace lockstep::algo
