// Maximal repetitions from longest Lyndon words, after the proof of the runs theorem.
//
// Take a repetition of period p, and order the symbols such that the symbol behind it is less than
// the one p before that symbol (the end of the sequence is less than all). Where the least rotation
// of its body begins, the longest Lyndon word has length p: it ends where the next lesser suffix
// begins. So the next lesser suffixes in the order of the symbols and in the reverse order, one
// candidate a position, give all repetitions, and two extensions tell which candidates are any.
#include "algo/sequences/repetitions.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

namespace lockstep::algo {
namespace {

using Index = std::uint32_t;

enum class Order : std::uint8_t { kForward, kReverse };

template <Order kOrder>
bool comes_before(Index a, Index b) {
  return kOrder == Order::kForward ? a < b : b < a;
}

// Common extensions of pairs whose first index only falls. In a repetition the next pair at the
// same distance ends at the same place, so that it is enough to compare what lies between: one
// comparison instead of a search for every turn of a loop.
class FallingExtensions {
 public:
  explicit FallingExtensions(const SequenceHash& hash) : hash_(hash), symbols_(hash.symbols()) {}

  // How many symbols from `i` on are those from `j` on, for i < j.
  Index at(Index i, Index j) {
    const std::size_t direct = std::min<std::size_t>(symbols_.size() - j, SequenceHash::kDirect);
    for (std::size_t length = 0; length < direct; ++length) {
      if (symbols_[i + length] != symbols_[j + length]) return static_cast<Index>(length);
    }
    const Index distance = j - i;
    Known& known = known_[distance % kSlots];
    const bool continues = known.distance == distance &&
                           (known.from - i <= direct || hash_.equal(i, j, known.from - i));
    if (!continues) known.end = j + static_cast<Index>(hash_.lce(i, j));
    known.distance = distance;
    known.from = i;
    return known.end - j;
  }

 private:
  // The symbols from `from` on are those `distance` later, until these reach `end`.
  struct Known {
    Index distance = 0;
    Index from = 0;
    Index end = 0;
  };
  static constexpr std::size_t kSlots = 1024;

  const SequenceHash& hash_;
  std::span<const std::uint32_t> symbols_;
  std::array<Known, kSlots> known_{};
};

// Whether a word is less than all its other rotations, by Duval's method.
bool is_lyndon(std::span<const std::uint32_t> word) {
  std::size_t matched = 0;
  for (std::size_t at = 1; at < word.size(); ++at) {
    if (word[at] < word[matched]) return false;
    matched = word[at] == word[matched] ? matched + 1 : 0;
  }
  return matched == 0;
}

// The definition, symbol by symbol. A Lyndon word is no power of a shorter one, so a root that is
// one shows that the period is the least.
bool is_maximal_repetition(std::span<const std::uint32_t> symbols, const Repetition& run) {
  const auto [start, end, period, root] = run;
  const auto repeats_at = [&](std::size_t at) { return symbols[at] == symbols[at + period]; };
  return std::equal(symbols.begin() + start, symbols.begin() + (end - period),
                    symbols.begin() + start + period) &&
         (start == 0 || !repeats_at(start - 1)) &&
         (end == symbols.size() || !repeats_at(end - period)) &&
         is_lyndon(symbols.subspan(root, period));
}

class RepetitionFinder {
 public:
  explicit RepetitionFinder(const SequenceHash& hash)
      : hash_(hash), symbols_(hash.symbols()), size_(static_cast<Index>(hash.symbols().size())) {}

  // False when two different stretches had one hash: then the answer is of no use.
  bool find() {
    next_lesser_.resize(size_);
    if (!scan<Order::kForward>(next_lesser_)) return false;
    std::vector<Index> next_greater(size_);
    return scan<Order::kReverse>(next_greater);
  }

  std::vector<Repetition> take_sorted() && {
    next_lesser_ = {};
    std::ranges::sort(runs_, {},
                      [](const Repetition& run) { return std::tuple(run.start, run.period); });
    return std::move(runs_);
  }

 private:
  // Fills in where the next lesser suffix of each begins (the size where there is none), from the
  // last to the first: each suffix is compared with those that may be next, found by hops.
  template <Order kOrder>
  bool scan(std::vector<Index>& next) {
    FallingExtensions extensions(hash_);
    for (Index i = size_; i-- > 0;) {
      Index j = i + 1;
      Index length = 0;
      while (j < size_) {
        length = extensions.at(i, j);
        if (j + length == size_ ||
            comes_before<kOrder>(symbols_[j + length], symbols_[i + length])) {
          break;
        }
        j = next[j];
      }
      next[i] = j;
      if (j < size_ && length > 0 && !report<kOrder>(i, j - i, j + length)) return false;
    }
    return true;
  }

  // Reports the repetition that has a root at `i` and ends at `end`, if there is one. Each turn of
  // it has a root; the first one reports. False when it does not stand up to the check.
  template <Order kOrder>
  bool report(Index i, Index period, Index end) {
    // What ends with the sequence has a root in either order.
    if (kOrder == Order::kReverse && end == size_) return true;
    const Index after = end - i - period;
    const Index needed_before = after < period ? period - after : 0;
    if (needed_before > i) return true;
    const std::size_t before = extension_before(i, period, needed_before);
    if (before < needed_before || before >= period) return true;
    Repetition run{
        .start = i - static_cast<Index>(before), .end = end, .period = period, .root = i};
    if (kOrder == Order::kReverse) run.root = least_rotation_of(run);
    if (!is_maximal_repetition(symbols_, run)) return false;
    runs_.push_back(run);
    return true;
  }

  // How many symbols before `i` repeat one period later: exact between `needed` and the period,
  // any number outside of that range where it is outside.
  std::size_t extension_before(Index i, Index period, Index needed) const {
    const std::size_t direct = hash_.lcs(i, i + period, SequenceHash::kDirect);
    if (direct < SequenceHash::kDirect) return direct;
    if (i >= period && hash_.equal(i - period, i, period)) return period;
    if (needed > direct && !hash_.equal(i - needed, i - needed + period, needed)) return 0;
    return hash_.lcs(i, i + period, period);
  }

  // Rotations compare as the suffixes do, since two turns lie inside the repetition.
  Index least_rotation_of(const Repetition& run) const {
    Index least = run.start;
    while (next_lesser_[least] < run.start + run.period) least = next_lesser_[least];
    return least;
  }

  const SequenceHash& hash_;
  std::span<const std::uint32_t> symbols_;
  Index size_;
  std::vector<Index> next_lesser_;
  std::vector<Repetition> runs_;
};

}  // namespace

std::vector<Repetition> maximal_repetitions(std::span<const std::uint32_t> symbols) {
  return maximal_repetitions(SequenceHash(symbols));
}

std::vector<Repetition> maximal_repetitions(const SequenceHash& hash) {
  RepetitionFinder first(hash);
  if (first.find()) return std::move(first).take_sorted();
  // The base is unlucky for these symbols: another one is not, or the one after that.
  std::uint64_t base = SequenceHash::kDefaultBase;
  while (true) {
    base = base * 6364136223846793005U + 1442695040888963407U;
    const SequenceHash other(hash.symbols(), base);
    RepetitionFinder finder(other);
    if (finder.find()) return std::move(finder).take_sorted();
  }
}

}  // namespace lockstep::algo
