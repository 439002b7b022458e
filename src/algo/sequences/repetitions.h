// Finds every maximal repetition ("run") of a sequence: the exact loops in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algo/sequences/sequence_hash.h"

namespace lockstep::algo {

// The symbols [start, end) repeat with `period`, at least twice; no smaller period fits, and the
// stretch grows neither to the left nor to the right.
struct Repetition {
  std::uint32_t start = 0;
  std::uint32_t end = 0;
  std::uint32_t period = 0;
  // Where in [start, start + period) the least rotation of the body begins, in the order of the
  // symbols: equal loops have equal symbols from their roots on.
  std::uint32_t root = 0;

  friend bool operator==(const Repetition&, const Repetition&) = default;
};

// All maximal repetitions, each once, by (start, period). There are fewer than symbols, and their
// exponents add up to less than three times the symbols. Time O(n log n), close to linear in
// practice; memory 16 bytes a symbol and the answer. Every repetition is checked symbol by symbol
// before it is reported. At most 2^32 - 2 symbols.
std::vector<Repetition> maximal_repetitions(std::span<const std::uint32_t> symbols);

// The same for who has the hashes already.
std::vector<Repetition> maximal_repetitions(const SequenceHash& hash);

}  // namespace lockstep::algo
