// Compares stretches of one sequence in constant or logarithmic time, by prefix hashes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::algo {

// Polynomial hashes of all prefixes modulo the prime 2^61 - 1: eight bytes a symbol and no more.
// Stretches that are equal always compare equal; stretches that differ compare equal with a chance
// of about one in 10^18, so that who must be certain compares the symbols of what it reports.
// Keeps the span: the symbols must outlive it.
class SequenceHash {
 public:
  // Fixed, so that the same input always takes the same path.
  static constexpr std::uint64_t kDefaultBase = 0x0d1ce4e5b97f4a7c;

  explicit SequenceHash(std::span<const std::uint32_t> symbols, std::uint64_t base = kDefaultBase);

  [[nodiscard]] std::span<const std::uint32_t> symbols() const { return symbols_; }

  // Whether the `length` symbols from `i` on are those from `j` on; both stretches must exist.
  [[nodiscard]] bool equal(std::size_t i, std::size_t j, std::size_t length) const {
    return difference(i + length, j + length) == times(difference(i, j), power(length));
  }

  // Equal for equal stretches, and for almost no others.
  [[nodiscard]] std::uint64_t fingerprint(std::size_t start, std::size_t length) const {
    const std::uint64_t before = times(prefix_[start], power(length));
    const std::uint64_t after = prefix_[start + length];
    return after >= before ? after - before : after + kPrime - before;
  }

  // Longest common extension forwards: how many symbols from `i` on are those from `j` on.
  [[nodiscard]] std::size_t lce(std::size_t i, std::size_t j) const {
    const std::size_t most = symbols_.size() - std::max(i, j);
    const std::size_t direct = std::min(most, kDirect);
    std::size_t length = 0;
    while (length < direct && symbols_[i + length] == symbols_[j + length]) ++length;
    return length < direct || length == most ? length : lce_beyond(i, j, length, most);
  }

  // Longest common extension backwards: the common suffix of the prefixes that end before `i` and
  // before `j`, but no more than `most` symbols of it.
  [[nodiscard]] std::size_t lcs(std::size_t i, std::size_t j,
                                std::size_t most = static_cast<std::size_t>(-1)) const {
    most = std::min(most, std::min(i, j));
    const std::size_t direct = std::min(most, kDirect);
    std::size_t length = 0;
    while (length < direct && symbols_[i - length - 1] == symbols_[j - length - 1]) ++length;
    return length < direct || length == most ? length : lcs_beyond(i, j, length, most);
  }

  // So many symbols are compared one by one before any hash is: most answers are short.
  static constexpr std::size_t kDirect = 8;

 private:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61U) - 1;
  static constexpr unsigned kSmallBits = 12;
  static constexpr std::size_t kSmallPowers = std::size_t{1} << kSmallBits;

  static std::uint64_t times(std::uint64_t a, std::uint64_t b);

  // The hash of the prefix of length `i` less that of length `j`. Multiplied by base^L it is the
  // same difference L symbols further on exactly when those symbols agree.
  [[nodiscard]] std::uint64_t difference(std::size_t i, std::size_t j) const {
    const std::uint64_t a = prefix_[i];
    const std::uint64_t b = prefix_[j];
    return a >= b ? a - b : a + kPrime - b;
  }

  // base^length from two tables, since a table of all powers would double the memory.
  [[nodiscard]] std::uint64_t power(std::size_t length) const {
    const std::uint64_t small = small_powers_[length % kSmallPowers];
    return length < kSmallPowers ? small : times(small, large_powers_[length >> kSmallBits]);
  }

  [[nodiscard]] std::size_t lce_beyond(std::size_t i, std::size_t j, std::size_t length,
                                       std::size_t most) const;
  [[nodiscard]] std::size_t lcs_beyond(std::size_t i, std::size_t j, std::size_t length,
                                       std::size_t most) const;

  std::span<const std::uint32_t> symbols_;
  std::vector<std::uint64_t> prefix_;
  std::vector<std::uint64_t> small_powers_;
  std::vector<std::uint64_t> large_powers_;
};

inline std::uint64_t SequenceHash::times(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  const std::uint64_t folded =
      (static_cast<std::uint64_t>(product) & kPrime) + static_cast<std::uint64_t>(product >> 61U);
  return folded >= kPrime ? folded - kPrime : folded;
}

}  // namespace lockstep::algo
