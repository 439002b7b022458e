// Maximal repetitions by divide and conquer (Main and Lorentz): a second opinion for tests.
//
// Nothing here is shared with repetitions.cpp: no hashes, no Lyndon words, Z functions instead.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "algo/sequences/repetitions.h"

namespace lockstep::algo::main_lorentz {

using Word = std::vector<std::int64_t>;  // one symbol more than there are: the separator
inline constexpr std::int64_t kSeparator = -1;

// For each position how many symbols from there on are those from the beginning on.
inline std::vector<std::size_t> z_function(const Word& word) {
  std::vector<std::size_t> z(word.size(), 0);
  if (!word.empty()) z[0] = word.size();
  std::size_t left = 0;
  std::size_t right = 0;
  for (std::size_t at = 1; at < word.size(); ++at) {
    if (at < right) z[at] = std::min(right - at, z[at - left]);
    while (at + z[at] < word.size() && word[z[at]] == word[at + z[at]]) ++z[at];
    if (at + z[at] > right) {
      left = at;
      right = at + z[at];
    }
  }
  return z;
}

inline Word reversed(Word word) {
  std::ranges::reverse(word);
  return word;
}

inline Word joined(const Word& first, const Word& second, const Word& third) {
  Word word = first;
  word.push_back(kSeparator);
  word.insert(word.end(), second.begin(), second.end());
  word.insert(word.end(), third.begin(), third.end());
  return word;
}

class Finder {
 public:
  explicit Finder(std::span<const std::uint32_t> symbols)
      : symbols_(symbols.begin(), symbols.end()) {
    search(0, symbols_.size());
  }

  [[nodiscard]] std::vector<Repetition> sorted() const {
    std::vector<Repetition> runs;
    for (const auto& [stretch, period] : least_period_) {
      const auto start = static_cast<std::uint32_t>(stretch.first);
      runs.push_back({.start = start,
                      .end = static_cast<std::uint32_t>(stretch.second),
                      .period = static_cast<std::uint32_t>(period),
                      .root = root_of(start, static_cast<std::uint32_t>(period))});
    }
    std::ranges::sort(runs, {},
                      [](const Repetition& run) { return std::pair(run.start, run.period); });
    return runs;
  }

 private:
  void search(std::size_t begin, std::size_t end) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin) / 2;
    search(begin, middle);
    search(middle, end);
    search_across(begin, middle, end);
  }

  // Repetitions that have a whole turn on the left, then those that have one on the right.
  void search_across(std::size_t begin, std::size_t middle, std::size_t end) {
    const auto at = [&](std::size_t index) {
      return symbols_.begin() + static_cast<std::ptrdiff_t>(index);
    };
    const Word left(at(begin), at(middle));
    const Word right(at(middle), at(end));
    const auto left_back = z_function(reversed(left));
    const auto right_in_both = z_function(joined(right, left, right));
    for (std::size_t period = 1; period <= left.size(); ++period) {
      const std::size_t before = period < left.size() ? left_back[period] : 0;
      const std::size_t after =
          std::min(right.size(), right_in_both[right.size() + 1 + left.size() - period]);
      if (before + after >= period) keep(middle - period - before, middle + after, period);
    }
    const auto right_on = z_function(right);
    const auto left_in_both = z_function(joined(reversed(left), reversed(right), reversed(left)));
    for (std::size_t period = 1; period <= right.size(); ++period) {
      const std::size_t after = period < right.size() ? right_on[period] : 0;
      const std::size_t before =
          std::min(left.size(), left_in_both[left.size() + 1 + right.size() - period]);
      if (before + after >= period) keep(middle - before, middle + period + after, period);
    }
  }

  // Beyond the part that is searched it may go on; multiples of a period have the same stretch.
  void keep(std::size_t start, std::size_t end, std::size_t period) {
    while (start > 0 && symbols_[start - 1] == symbols_[start - 1 + period]) --start;
    while (end < symbols_.size() && symbols_[end] == symbols_[end - period]) ++end;
    const auto [known, is_new] = least_period_.emplace(std::pair(start, end), period);
    if (!is_new) known->second = std::min(known->second, period);
  }

  // Least of all rotations, all of which lie in the first two turns.
  [[nodiscard]] std::uint32_t root_of(std::uint32_t start, std::uint32_t period) const {
    std::uint32_t least = start;
    for (std::uint32_t other = start + 1; other < start + period; ++other) {
      const auto other_at = symbols_.begin() + other;
      const auto least_at = symbols_.begin() + least;
      if (std::lexicographical_compare(other_at, other_at + period, least_at, least_at + period)) {
        least = other;
      }
    }
    return least;
  }

  Word symbols_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> least_period_;
};

inline std::vector<Repetition> maximal_repetitions(std::span<const std::uint32_t> symbols) {
  return Finder(symbols).sorted();
}

}  // namespace lockstep::algo::main_lorentz
