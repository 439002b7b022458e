// Least rotation by two candidates that rule each other out.
#include "algo/sequences/least_rotation.h"

#include <algorithm>

namespace lockstep::algo {

std::size_t least_rotation(std::span<const std::uint32_t> symbols) {
  const std::size_t size = symbols.size();
  const auto around = [&](std::size_t at) { return symbols[at < size ? at : at - size]; };
  std::size_t first = 0;
  std::size_t second = 1;
  std::size_t matched = 0;
  while (first < size && second < size && matched < size) {
    const std::uint32_t a = around(first + matched);
    const std::uint32_t b = around(second + matched);
    if (a == b) {
      ++matched;
      continue;
    }
    // Whatever begins inside the matched part of the greater one is beaten from inside the other.
    std::size_t& greater = a > b ? first : second;
    greater += matched + 1;
    if (first == second) ++second;
    matched = 0;
  }
  return size == 0 ? 0 : std::min(first, second);
}

}  // namespace lockstep::algo
