// Sorting what is nearly sorted: runs that are in order already are merged, not sorted.
//
// Profilers write the events of a thread in a few long ascending runs, with neighbours swapped
// where one event lies in another; for those this is linear, where std::sort starts anew. With many
// runs it is as fast as any merge sort. Stable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace lockstep::algo {

// How far back in its run a value is put at once; one that belongs further back begins a new run.
inline constexpr std::size_t kNearPlaces = 16;

// Moves values[i] back to its place, which is not before `run` nor too far away.
template <typename T, typename Less>
bool insert_near(std::vector<T>& values, std::size_t run, std::size_t i, Less less) {
  const std::size_t least = i - run > kNearPlaces ? i - kNearPlaces : run;
  std::size_t place = i - 1;
  while (place > least && less(values[i], values[place - 1])) --place;
  if (place == least && place > run && less(values[i], values[place - 1])) return false;
  const auto at = [&](std::size_t k) { return values.begin() + static_cast<std::ptrdiff_t>(k); };
  std::rotate(at(place), at(i), at(i + 1));
  return true;
}

// Merges two neighbouring runs; what lies before or behind all of the other one stays where it is.
template <typename Iterator, typename Less>
void merge_neighbours(Iterator first, Iterator middle, Iterator last, Less less) {
  if (!less(*middle, *std::prev(middle))) return;
  const Iterator from = std::upper_bound(first, middle, *middle, less);
  const Iterator to = std::lower_bound(middle, last, *std::prev(middle), less);
  std::inplace_merge(from, middle, to, less);
}

template <typename T, typename Less>
void natural_merge_sort(std::vector<T>& values, Less less) {
  std::vector<std::size_t> borders;  // where runs begin, and the end
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_in_order = i > 0 && !less(values[i], values[i - 1]);
    if (is_in_order || (i > 0 && insert_near(values, borders.back(), i, less))) continue;
    borders.push_back(i);
  }
  borders.push_back(values.size());
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  while (borders.size() > 2) {
    std::vector<std::size_t> fewer;
    for (std::size_t i = 0; i + 1 < borders.size(); i += 2) {
      fewer.push_back(borders[i]);
      if (i + 2 < borders.size())
        merge_neighbours(at(borders[i]), at(borders[i + 1]), at(borders[i + 2]), less);
    }
    fewer.push_back(values.size());
    borders = std::move(fewer);
  }
}

}  // namespace lockstep::algo
