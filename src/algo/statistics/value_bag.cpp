// Selection by counting: the upper half of a value's bits first, then the lower half of those that
// share the upper half of the one wanted.
#include "algo/statistics/value_bag.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace lockstep::algo {
namespace {

constexpr std::size_t kFirstPiece = 16;
constexpr std::size_t kLargestPiece = std::size_t{1} << 16U;
constexpr std::size_t kHalf = std::size_t{1} << 16U;
// Below so many values counters cost more than a copy.
constexpr std::size_t kFewValues = kHalf;

using Pieces = std::vector<std::vector<std::uint32_t>>;
using Counters = std::vector<std::uint64_t>;

std::uint64_t count_of(const Pieces& pieces) {
  std::uint64_t count = 0;
  for (const auto& piece : pieces) count += piece.size();
  return count;
}

// Where rank falls among counters, and how far into that one.
struct Fall {
  std::uint32_t at = 0;
  std::uint64_t rest = 0;
};
Fall fall_of(const Counters& counters, std::uint64_t rank) {
  std::uint32_t at = 0;
  while (rank >= counters[at]) rank -= counters[at++];
  return {at, rank};
}

// The values of ascending ranks, among values of 32 bits: the least, the two on either side of p50
// and of p95, the greatest.
constexpr std::size_t kRanks = 6;
using Ranks = std::array<std::uint64_t, kRanks>;
using Selected = std::array<std::int64_t, kRanks>;
Selected select(const Pieces& pieces, const Ranks& ranks) {
  Counters upper(kHalf);
  for (const auto& piece : pieces) {
    for (const std::uint32_t value : piece) ++upper[value >> 16U];
  }
  std::array<Fall, kRanks> falls;
  std::vector<std::uint8_t> wanted(kHalf);  // 1 + which of `lower` counts it; 0: none
  std::vector<Counters> lower;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    falls[i] = fall_of(upper, ranks[i]);
    if (wanted[falls[i].at] != 0) continue;
    lower.emplace_back(kHalf);
    wanted[falls[i].at] = static_cast<std::uint8_t>(lower.size());
  }
  for (const auto& piece : pieces) {
    for (const std::uint32_t value : piece) {
      if (const std::uint8_t which = wanted[value >> 16U]; which != 0)
        ++lower[which - 1U][value & (kHalf - 1)];
    }
  }
  Selected values{};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Fall rest = fall_of(lower[wanted[falls[i].at] - 1U], falls[i].rest);
    values[i] = std::int64_t{falls[i].at} << 16U | rest.at;
  }
  return values;
}

}  // namespace

void ValueBag::add_piece() {
  const std::size_t last = narrow_.empty() ? kFirstPiece / 2 : narrow_.back().capacity();
  narrow_.emplace_back();
  narrow_.back().reserve(std::min(2 * last, kLargestPiece));
}

void ValueBag::absorb(ValueBag&& other) {
  // The last piece is the one that is added to: the fuller ones go before it.
  std::ranges::move(narrow_, std::back_inserter(other.narrow_));
  narrow_ = std::move(other.narrow_);
  other.narrow_.clear();
  wide_.insert(wide_.end(), other.wide_.begin(), other.wide_.end());
  other.wide_.clear();
}

std::uint64_t ValueBag::size() const { return count_of(narrow_) + wide_.size(); }

OrderStatistics ValueBag::order_statistics() const {
  const std::uint64_t narrow = count_of(narrow_);
  const std::uint64_t count = narrow + wide_.size();
  if (narrow < kFewValues) {
    std::vector<std::int64_t> values(wide_);
    for (const auto& piece : narrow_) values.insert(values.end(), piece.begin(), piece.end());
    return lockstep::algo::order_statistics(values);
  }
  std::vector<std::int64_t> wide(wide_);
  std::ranges::sort(wide);
  const auto negative =
      static_cast<std::uint64_t>(std::ranges::lower_bound(wide, 0) - wide.begin());
  const RankPosition p50 = rank_position(count, 50);
  const RankPosition p95 = rank_position(count, 95);
  const auto next = [&](const RankPosition& at) { return std::min(at.index + 1, count - 1); };
  const Ranks ranks = {0, p50.index, next(p50), p95.index, next(p95), count - 1};
  Ranks inside{};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    inside[i] = std::clamp(ranks[i], negative, negative + narrow - 1) - negative;
  }
  Selected values = select(narrow_, inside);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < negative) values[i] = wide[ranks[i]];
    if (ranks[i] >= negative + narrow) values[i] = wide[ranks[i] - narrow];
  }
  return {values[0], interpolated(values[1], values[2], p50.hundredths),
          interpolated(values[3], values[4], p95.hundredths), values[5]};
}

}  // namespace lockstep::algo
