// Pairs by the size of their stream, and sums by device.
#include "analysis/compare/elapsed.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace lockstep::analysis::compare {
namespace {

using Place = std::pair<trace::RankId, trace::DeviceId>;

struct Sums {
  WideTime of_a = 0;
  WideTime delta = 0;
};

bool overlap(const breakdown::Window& x, const breakdown::Window& y) {
  return x.start < y.end && y.start < x.end;
}

std::int64_t in_64_bits(WideTime ns) {
  using Limits = std::numeric_limits<std::int64_t>;
  return static_cast<std::int64_t>(
      std::clamp<WideTime>(ns, WideTime{Limits::min()}, WideTime{Limits::max()}));
}

std::vector<ComparePair*> matched_by_stream(const cycles::Cycles& cycles, Comparison& comparison) {
  std::vector<ComparePair*> pairs;
  for (ComparePair& pair : comparison.pairs) {
    if (is_compared(pair) && !pair.is_inside) pairs.push_back(&pair);
  }
  std::ranges::stable_sort(pairs, std::ranges::greater{}, [&](const ComparePair* pair) {
    return cycles.streams[pair->a->stream].stream.size();
  });
  return pairs;
}

}  // namespace

void find_elapsed(const cycles::Cycles& cycles_a, Comparison& comparison) {
  std::map<Place, std::vector<const ComparePair*>> taken;
  std::map<Place, Sums> sums;
  for (ComparePair* pair : matched_by_stream(cycles_a, comparison)) {
    const cycles::KernelStream& stream = cycles_a.streams[pair->a->stream].stream;
    const Place place{stream.rank, stream.device};
    // Pairs of one stream share no kernel, whatever lies between their iterations.
    pair->is_elapsed = std::ranges::none_of(taken[place], [&](const ComparePair* other) {
      return other->a->stream != pair->a->stream && overlap(other->a->extent, pair->a->extent);
    });
    if (!pair->is_elapsed) continue;
    taken[place].push_back(pair);
    sums[place].of_a += WideTime{pair->a->wall_ns} * pair->a->iterations;
    sums[place].delta += WideTime{*pair->delta_ns} * pair->a->iterations;
  }
  const auto longest = std::ranges::max_element(
      sums, {}, [](const auto& of_device) { return of_device.second.of_a; });
  if (longest == sums.end()) return;
  comparison.elapsed_ns_a = in_64_bits(longest->second.of_a);
  comparison.elapsed_delta_ns = in_64_bits(longest->second.delta);
}

}  // namespace lockstep::analysis::compare
