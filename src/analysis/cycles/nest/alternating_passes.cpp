// Looks for the kernel near the middle of a body with which the second half begins.
#include "analysis/cycles/nest/alternating_passes.h"

#include <algorithm>
#include <optional>

#include "analysis/cycles/nest/loop_candidates.h"

namespace lockstep::analysis::cycles {
namespace {

// The second half begins in this part of the body, with a kernel of the first one's signature.
constexpr double kEarliest = 0.4;
constexpr double kLatest = 0.6;
constexpr std::size_t kMostPlaces = 16;

bool trains(const KernelStream& stream, const FoundLoop& loop) {
  for (std::uint32_t i = 0; i < loop.period; ++i) {
    const kernels::KernelFacts& facts = stream.symbol(loop.body_start + i).facts;
    if (facts.role == kernels::KernelRole::kOptimizer ||
        facts.attention == kernels::AttentionUse::kBackward)
      return true;
  }
  return false;
}

// GEMMs, attention and the like, and what attention is for.
std::vector<std::uint32_t> heavy_work(const KernelStream& stream, std::uint32_t lo,
                                      std::uint32_t hi) {
  std::vector<std::uint32_t> work;
  for (std::uint32_t i = lo; i < hi; ++i) {
    const kernels::KernelFacts& facts = stream.symbol(i).facts;
    if (!is_heavy(facts.role)) continue;
    work.push_back(static_cast<std::uint32_t>(facts.role) * 8 +
                   static_cast<std::uint32_t>(facts.attention));
  }
  return work;
}

std::vector<std::uint32_t> places_near_the_middle(const KernelStream& stream,
                                                  const FoundLoop& loop) {
  const auto lo = static_cast<std::uint32_t>(kEarliest * loop.period);
  const auto hi = static_cast<std::uint32_t>(kLatest * loop.period);
  const std::uint32_t first = stream.symbol(loop.body_start).signature;
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = std::max(1U, lo); i < hi; ++i) {
    if (stream.symbol(loop.body_start + i).signature == first) places.push_back(i);
  }
  const auto from_middle = [&](std::uint32_t place) {
    return place > loop.period / 2 ? place - loop.period / 2 : loop.period / 2 - place;
  };
  std::ranges::stable_sort(places, {}, from_middle);
  if (places.size() > kMostPlaces) places.resize(kMostPlaces);
  return places;
}

// How far the halves are apart by name, where they do the same work.
struct Split {
  std::uint32_t place = 0;
  std::uint32_t distance = 0;  // by role
};

std::optional<Split> best_split(const KernelStream& stream, const Likeness& likeness,
                                const FoundLoop& loop) {
  const std::uint32_t lo = loop.body_start;
  const std::uint32_t hi = lo + loop.period;
  std::optional<Split> best;
  for (const std::uint32_t place : places_near_the_middle(stream, loop)) {
    const std::vector<std::uint32_t> work = heavy_work(stream, lo, lo + place);
    if (work.empty() || work != heavy_work(stream, lo + place, hi)) continue;
    const auto a = stream.sequence(SymbolLevel::kRole, lo, lo + place);
    const auto b = stream.sequence(SymbolLevel::kRole, lo + place, hi);
    const auto distance =
        distance_if_alike(likeness, a.size() > b.size() ? a : b, a.size() > b.size() ? b : a);
    if (distance && (!best || *distance < best->distance)) best = Split{place, *distance};
  }
  return best;
}

void unfold(const KernelStream& stream, const Split& split, FoundLoop& loop) {
  std::vector<Iteration> iterations;
  for (const Iteration& iteration : loop.iterations) {
    iterations.push_back({iteration.start, iteration.start + split.place});
    iterations.push_back({iteration.start + split.place, iteration.end});
  }
  loop.iterations = std::move(iterations);
  loop.period = split.place;
  loop.run_start = loop.body_start;
  loop.run_end = loop.body_start + loop.period;
  settle_body(stream.names, loop);
}

}  // namespace

void unfold_alternating(const KernelStream& stream, const Likeness& likeness,
                        std::vector<FoundLoop>& loops) {
  for (FoundLoop& loop : loops) {
    const bool may_alternate = loop.holds_loop && loop.is_exact() &&
                               loop.border != BorderEvidence::kAnnotation &&
                               loop.border != BorderEvidence::kGraphLaunch;
    if (!may_alternate || trains(stream, loop)) continue;
    if (const auto split = best_split(stream, likeness, loop)) unfold(stream, *split, loop);
  }
}

}  // namespace lockstep::analysis::cycles
