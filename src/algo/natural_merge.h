// Sorting what is nearly sorted: runs that are in order already are merged, not sorted.
//
// Profilers write the events of a thread in a few long ascending runs; for those this is linear,
// where std::sort starts anew. With many runs it is as fast as any merge sort. Stable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace lockstep {

template <typename T, typename Less>
void natural_merge_sort(std::vector<T>& values, Less less) {
  std::vector<std::size_t> borders;  // where runs begin, and the end
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i == 0 || less(values[i], values[i - 1])) borders.push_back(i);
  }
  borders.push_back(values.size());
  const auto at = [&](std::size_t i) { return values.begin() + static_cast<std::ptrdiff_t>(i); };
  while (borders.size() > 2) {
    std::vector<std::size_t> fewer;
    for (std::size_t i = 0; i + 1 < borders.size(); i += 2) {
      fewer.push_back(borders[i]);
      if (i + 2 < borders.size())
        std::inplace_merge(at(borders[i]), at(borders[i + 1]), at(borders[i + 2]), less);
    }
    fewer.push_back(values.size());
    borders = std::move(fewer);
  }
}

}  // namespace lockstep
