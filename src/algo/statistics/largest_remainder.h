// Rounding a column of numbers so that the rounded numbers still add up.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/time.h"

namespace lockstep::algo {

// numerators[i] / denominator, each rounded down or up to a whole number so that the results add
// up to the rounded-down sum of all: those with the largest remainders are rounded up, the first
// of equal ones first. Every result is less than 1 away from its value. `denominator` > 0; results
// must fit 64 bits.
[[nodiscard]] std::vector<std::int64_t> round_to_sum(std::span<const WideTime> numerators,
                                                     WideTime denominator);

// Towards minus infinity.
[[nodiscard]] constexpr WideTime floor_divide(WideTime numerator, WideTime denominator) {
  const WideTime quotient = numerator / denominator;
  return quotient - (numerator % denominator < 0 ? 1 : 0);
}

}  // namespace lockstep::algo
