// Builds the prefix hashes, and searches for the ends of long common extensions.
#include "algo/sequences/sequence_hash.h"

namespace lockstep::algo {

SequenceHash::SequenceHash(std::span<const std::uint32_t> symbols, std::uint64_t base)
    : symbols_(symbols) {
  base %= kPrime;
  prefix_.resize(symbols.size() + 1);
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    hash = times(hash, base) + symbols[at];
    if (hash >= kPrime) hash -= kPrime;
    prefix_[at + 1] = hash;
  }

  // Of a short sequence, of which there may be many, no more than it can use.
  small_powers_.resize(std::min(kSmallPowers, symbols.size() + 1));
  small_powers_[0] = 1;
  for (std::size_t at = 1; at < small_powers_.size(); ++at) {
    small_powers_[at] = times(small_powers_[at - 1], base);
  }
  const std::uint64_t large_step = times(small_powers_.back(), base);
  large_powers_.resize((symbols.size() >> kSmallBits) + 1);
  large_powers_[0] = 1;
  for (std::size_t at = 1; at < large_powers_.size(); ++at) {
    large_powers_[at] = times(large_powers_[at - 1], large_step);
  }
}

// Steps that double while the stretches agree, then steps that halve.
std::size_t SequenceHash::lce_beyond(std::size_t i, std::size_t j, std::size_t length,
                                     std::size_t most) const {
  std::size_t step = kDirect;
  while (length + step <= most && equal(i + length, j + length, step)) {
    length += step;
    step *= 2;
  }
  while (step > kDirect) {
    step /= 2;
    if (length + step <= most && equal(i + length, j + length, step)) length += step;
  }
  while (length < most && symbols_[i + length] == symbols_[j + length]) ++length;
  return length;
}

std::size_t SequenceHash::lcs_beyond(std::size_t i, std::size_t j, std::size_t length,
                                     std::size_t most) const {
  const auto extends_by = [&](std::size_t step) {
    return length + step <= most && equal(i - length - step, j - length - step, step);
  };
  std::size_t step = kDirect;
  while (extends_by(step)) {
    length += step;
    step *= 2;
  }
  while (step > kDirect) {
    step /= 2;
    if (extends_by(step)) length += step;
  }
  while (length < most && symbols_[i - length - 1] == symbols_[j - length - 1]) ++length;
  return length;
}

}  // namespace lockstep::algo
