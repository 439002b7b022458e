// The steps of the spec, in its order. Its document is silent on the least length of a cycle and
// on the tests of sub-cycles beyond match and length; those are as the original has them.
#include "analysis/cycles/anchor/anchor_cycles.h"

#include <algorithm>
#include <span>

namespace lockstep::analysis::cycles {
namespace {

using Positions = std::vector<std::uint32_t>;

// An anchor's distance may be off by this, at least by one kernel.
std::uint32_t slack_of(std::uint32_t length, double tolerance) {
  return std::max(1U, static_cast<std::uint32_t>(tolerance * static_cast<double>(length)));
}

// All distances are the first one, nearly.
bool are_even(std::span<const std::uint32_t> positions, std::uint32_t slack) {
  const std::uint32_t length = positions[1] - positions[0];
  for (std::size_t i = 2; i < positions.size(); ++i) {
    const std::uint32_t gap = positions[i] - positions[i - 1];
    if ((gap > length ? gap - length : length - gap) > slack) return false;
  }
  return true;
}

// Symbols that may be anchors, in the order in which they are tried.
std::vector<std::uint32_t> candidates(const KernelStream& stream, const AnchorOptions& options) {
  std::vector<std::uint32_t> counts(stream.symbols.size(), 0);
  std::vector<std::uint32_t> first(stream.symbols.size(), 0);
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    if (counts[stream.names[i]]++ == 0) first[stream.names[i]] = i;
  }
  const double most = options.max_share * static_cast<double>(stream.size());
  std::vector<std::uint32_t> symbols;
  for (std::uint32_t symbol = 0; symbol < counts.size(); ++symbol) {
    // Two are needed for a distance, whatever is asked for.
    if (counts[symbol] < std::max(2U, options.min_count)) continue;
    if (static_cast<double>(counts[symbol]) <= most) symbols.push_back(symbol);
  }
  std::ranges::sort(symbols, [&](std::uint32_t a, std::uint32_t b) {
    if (counts[a] != counts[b]) return counts[a] > counts[b];
    const int order = stream.symbols[a].text.compare(stream.symbols[b].text);
    return order != 0 ? order < 0 : first[a] < first[b];
  });
  return symbols;
}

// Positions of the wanted symbols, by symbol; the others stay empty.
std::vector<Positions> positions_of(const KernelStream& stream,
                                    std::span<const std::uint32_t> wanted) {
  std::vector<bool> is_wanted(stream.symbols.size(), false);
  for (const std::uint32_t symbol : wanted) is_wanted[symbol] = true;
  std::vector<Positions> positions(stream.symbols.size());
  for (std::uint32_t i = 0; i < stream.size(); ++i) {
    if (is_wanted[stream.names[i]]) positions[stream.names[i]].push_back(i);
  }
  return positions;
}

// Pairs of equal symbols in two windows of one length. Counted in 32 bits like the symbols, so that
// the compiler makes vectors of it.
std::uint32_t equal_in(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  std::uint32_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1U : 0U;
  return equal;
}

bool is_share(std::size_t part, std::size_t whole, double share) {
  return static_cast<double>(part) / static_cast<double>(whole) >= share;
}

// The windows at a fixed stride from the anchor's first occurrence, as many as it has occurrences.
// One that does not match is left out; the stride goes on behind it.
std::vector<std::uint32_t> matching_windows(const KernelStream& stream, const Positions& positions,
                                            std::uint32_t length, double match) {
  const std::span<const std::uint32_t> names = stream.names;
  const auto first = names.subspan(positions.front(), length);
  std::vector<std::uint32_t> starts = {positions.front()};
  for (std::size_t i = 1; i < positions.size(); ++i) {
    const std::size_t start = positions.front() + i * length;
    if (start + length > names.size()) break;
    if (is_share(equal_in(first, names.subspan(start, length)), length, match)) {
      starts.push_back(static_cast<std::uint32_t>(start));
    }
  }
  return starts;
}

// Neighbouring windows of a sub-cycle that match; what of the last one is cut off does not.
std::uint32_t matching_pairs(std::span<const std::uint32_t> signatures, std::uint32_t first,
                             std::uint32_t length, double match) {
  std::uint32_t pairs = 0;
  for (std::size_t at = first; at + length < signatures.size(); at += length) {
    const std::size_t compared = std::min<std::size_t>(length, signatures.size() - at - length);
    const std::uint32_t equal =
        equal_in(signatures.subspan(at, compared), signatures.subspan(at + length, compared));
    if (is_share(equal, length, match)) ++pairs;
  }
  return pairs;
}

}  // namespace

std::vector<AnchorCycle> find_anchor_cycles(const KernelStream& stream,
                                            const AnchorOptions& options) {
  const std::vector<std::uint32_t> anchors = candidates(stream, options);
  const std::vector<Positions> positions = positions_of(stream, anchors);
  std::vector<AnchorCycle> cycles;
  for (const std::uint32_t anchor : anchors) {
    const Positions& at = positions[anchor];
    const std::uint32_t length = at[1] - at[0];
    if (length < options.min_length) continue;
    if (!are_even(at, slack_of(length, options.gap_tolerance))) continue;
    auto starts = matching_windows(stream, at, length, options.match);
    if (starts.size() < options.min_repetitions) continue;
    cycles.push_back({anchor, length, std::move(starts)});
  }
  return cycles;
}

SubCycleSearch::SubCycleSearch(const KernelStream& stream, const AnchorOptions& options)
    : options_(options),
      signatures_(
          stream.sequence(SymbolLevel::kSignature, 0, static_cast<std::uint32_t>(stream.size()))),
      after_last_(stream.size(), 0),
      next_(stream.size(), static_cast<std::uint32_t>(stream.size())) {
  std::uint32_t most = 0;
  for (const std::uint32_t signature : signatures_) most = std::max(most, signature);
  std::vector<std::uint32_t> after(std::size_t{most} + 1, 0);  // the latest of each signature
  for (std::uint32_t i = 0; i < signatures_.size(); ++i) {
    std::uint32_t& last = after[signatures_[i]];
    after_last_[i] = last;
    if (last > 0) next_[last - 1] = i;
    last = i + 1;
  }
}

// Of all kernels in the cycle with the signature of kernel `first`, from there on.
std::vector<std::uint32_t> SubCycleSearch::offsets_from(std::uint32_t first,
                                                        const AnchorCycle& cycle) const {
  const std::uint32_t start = cycle.starts.front();
  Positions offsets;
  for (std::uint32_t i = first; i < start + cycle.length; i = next_[i]) {
    offsets.push_back(i - start);
  }
  return offsets;
}

AnchorSubCycle SubCycleSearch::find_in(const AnchorCycle& cycle) const {
  AnchorSubCycle best;
  if (cycle.length <= options_.min_outer_for_sub) return best;
  const std::uint32_t start = cycle.starts.front();
  const auto window = std::span(signatures_).subspan(start, cycle.length);
  for (std::uint32_t i = start; i < start + cycle.length; ++i) {
    if (after_last_[i] > start) continue;  // its signature was looked at
    if (next_[i] >= start + cycle.length) continue;
    const std::uint32_t length = next_[i] - i;
    if (length < options_.min_sub_length || length >= cycle.length / 2) continue;
    if (best.length != 0 && length >= best.length) continue;
    Positions offsets = offsets_from(i, cycle);
    if (offsets.size() < std::max(2U, options_.min_sub_count)) continue;
    if (!are_even(offsets, slack_of(length, options_.sub_gap_tolerance))) continue;
    if (matching_pairs(window, i - start, length, options_.sub_match) < options_.min_sub_pairs) {
      continue;
    }
    best = {length, std::move(offsets)};
  }
  return best;
}

}  // namespace lockstep::analysis::cycles
