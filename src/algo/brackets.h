// A curve that is known only by brackets: at x its y lies somewhere in [low, high]. Brackets are
// put in order, cleared of contradictions, and cut into runs that one line meets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep {

struct Bracket {
  std::int64_t x = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;

  friend bool operator==(const Bracket&, const Bracket&) = default;
};

// Distances between brackets stay below this, so that products of two are exact in 128 bits and
// each is exact in a double.
inline constexpr std::int64_t kMaxBracketDistance = std::int64_t{1} << 52;

// Sorts by x and replaces the brackets of one x by their intersection; where there is none, by the
// narrowest of them. Returns how many brackets contradicted an earlier one of the same x.
std::size_t merge_brackets(std::vector<Bracket>& brackets);

// Keeps the longest subsequence that a rising curve can pass, of brackets by x. Returns how many
// were dropped: 0 in linear time where all agree, else in n log n.
std::size_t keep_rising(std::vector<Bracket>& brackets);

// A line that meets a run of brackets: y = at_first + slope * (x - x of the first).
struct BracketRun {
  std::size_t first = 0;  // brackets [first, first + count)
  std::size_t count = 0;
  double at_first = 0;  // less the first bracket's low, so that no digits are lost
  double slope = 0;     // the middle of all that meet the run; of a single bracket 0
};

// Cuts brackets (by x, all different) into the fewest runs that a line meets each, from left to
// right and each as long as possible; neighbouring runs share a bracket, so that the lines can be
// joined inside it. Linear time (O'Rourke 1981).
[[nodiscard]] std::vector<BracketRun> cut_into_lines(std::span<const Bracket> brackets);

}  // namespace lockstep
