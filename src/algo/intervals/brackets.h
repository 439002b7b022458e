// A curve that is known only by brackets: at x its y lies somewhere in [low, high]. Brackets are
// put in order and cleared of contradictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::algo {

struct Bracket {
  std::int64_t x = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const Bracket&, const Bracket&) = default;
};

// Distances between brackets stay below this, so that sums and differences are exact in a double.
inline constexpr std::int64_t kMaxBracketDistance = std::int64_t{1} << 52;

// Sorts by x and replaces the brackets of one x by their intersection; where there is none, by the
// narrowest of them. Returns how many brackets contradicted an earlier one of the same x.
std::size_t merge_brackets(std::vector<Bracket>& brackets);

// Of brackets by x, keeps all where a rising curve can pass all of them, else the longest
// subsequence whose middles rise. Returns how many were dropped: 0 in linear time, others in n log
// n.
std::size_t keep_rising(std::vector<Bracket>& brackets);

}  // namespace lockstep::algo
