// Rounding down, then handing the missing units to the largest remainders.
#include "algo/statistics/largest_remainder.h"

#include <algorithm>
#include <numeric>

namespace lockstep::algo {

std::vector<std::int64_t> round_to_sum(std::span<const WideTime> numerators, WideTime denominator) {
  std::vector<std::int64_t> rounded;
  std::vector<WideTime> remainders;
  rounded.reserve(numerators.size());
  remainders.reserve(numerators.size());
  WideTime missing = 0;  // the sum of remainders: below denominator x their number
  for (const WideTime numerator : numerators) {
    const WideTime down = floor_divide(numerator, denominator);
    rounded.push_back(static_cast<std::int64_t>(down));
    remainders.push_back(numerator - down * denominator);
    missing += remainders.back();
  }
  const auto units = static_cast<std::ptrdiff_t>(missing / denominator);
  std::vector<std::size_t> order(numerators.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::partial_sort(order.begin(), order.begin() + units, order.end(),
                    [&](std::size_t left, std::size_t right) {
                      if (remainders[left] != remainders[right]) {
                        return remainders[left] > remainders[right];
                      }
                      return left < right;
                    });
  for (std::ptrdiff_t i = 0; i < units; ++i) ++rounded[order[static_cast<std::size_t>(i)]];
  return rounded;
}

}  // namespace lockstep::algo
