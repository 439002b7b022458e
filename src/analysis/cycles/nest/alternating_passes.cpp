// Looks for the kernel near the middle of a body with which the second half begins.
#include "analysis/cycles/nest/alternating_passes.h"

#include <algorithm>
#include <optional>
#include <span>

#include "algo/sequences/edit_distance.h"
#include "analysis/cycles/nest/loop_candidates.h"
#include "analysis/cycles/stream/layer_count.h"

namespace lockstep::analysis::cycles {
namespace {

// The second half begins in this part of the body, with a kernel of the first one's signature.
constexpr double kEarliest = 0.4;
constexpr double kLatest = 0.6;
constexpr std::size_t kMostPlaces = 16;
// A body of two equal halves is one of half the length, where that costs no more than so many
// exceptions: as much as to say that it runs twice.
constexpr std::uint32_t kFewEdits = 2;
// Share of the products of one half that must be those of the other.
constexpr double kLikeProducts = 0.75;

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

// Libraries choose products by the number of words: a prefill and a decode pass that take turns do
// the same work by role.
bool have_like_products(const KernelStream& stream, Iteration a, Iteration b) {
  const auto products = [&](Iteration part) {
    std::vector<std::uint32_t> names;
    for (std::uint32_t i = part.start; i < part.end; ++i) {
      if (is_matrix_work(stream.symbol(i).facts.role)) names.push_back(stream.names[i]);
    }
    return names;
  };
  const std::vector<std::uint32_t> one = products(a);
  const std::vector<std::uint32_t> other = products(b);
  std::size_t alike = 0;
  for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    alike += one[i] == other[i] ? 1 : 0;
  return static_cast<double>(alike) >= kLikeProducts * static_cast<double>(one.size());
}

// Iterations of one loop are compared by name later, which takes long where much differs.
bool can_be_compared(const KernelStream& stream, Iteration a, Iteration b) {
  const std::span<const std::uint32_t> names = stream.names;
  return algo::bounded_edit_distance(names.subspan(a.start, a.size()),
                                     names.subspan(b.start, b.size()), kMostEdits)
      .has_value();
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
    if (!have_like_products(stream, {lo, lo + place}, {lo + place, hi})) continue;
    const auto a = stream.sequence(SymbolLevel::kRole, lo, lo + place);
    const auto b = stream.sequence(SymbolLevel::kRole, lo + place, hi);
    const auto distance =
        distance_if_alike(likeness, a.size() > b.size() ? a : b, a.size() > b.size() ? b : a);
    if (!distance || (best && *distance >= best->distance)) continue;
    if (can_be_compared(stream, {lo, lo + place}, {lo + place, hi})) best = Split{place, *distance};
  }
  return best;
}

// Where the second half of an iteration begins: with the kernel that stands for the place, or the
// first one behind it. Nothing where that leaves a half empty.
std::optional<std::uint32_t> split_of(const KernelStream& stream, const FoundLoop& loop,
                                      const Iteration& iteration, std::uint32_t place) {
  if (iteration.size() == loop.period) return iteration.start + place;
  const std::span<const std::uint32_t> names = stream.names;
  const auto alignment =
      algo::edit_alignment(names.subspan(loop.body_start, loop.period),
                           names.subspan(iteration.start, iteration.size()), kMostEdits);
  if (!alignment) return std::nullopt;
  for (std::uint32_t i = 1; i < iteration.size(); ++i) {
    const std::uint32_t partner = alignment->partners[i];
    if (partner != algo::kUnaligned && partner >= place) return iteration.start + i;
  }
  return std::nullopt;
}

// Where the halves of a body have the same names but for a few.
std::optional<Split> equal_halves(const KernelStream& stream, const FoundLoop& loop) {
  const std::span<const std::uint32_t> names = stream.names;
  std::optional<Split> best;
  const std::uint32_t middle = loop.period / 2;
  for (std::uint32_t place = middle; place <= middle + 1 && place < loop.period; ++place) {
    const auto distance = algo::bounded_edit_distance(
        names.subspan(loop.body_start, place),
        names.subspan(loop.body_start + place, loop.period - place), kFewEdits);
    if (distance && (!best || *distance < best->distance)) best = Split{place, *distance};
  }
  return best;
}

void unfold(const KernelStream& stream, const Split& split, FoundLoop& loop) {
  std::vector<Iteration> iterations;
  for (const Iteration& iteration : loop.iterations) {
    const auto middle = split_of(stream, loop, iteration, split.place);
    if (!middle) return;
    iterations.push_back({iteration.start, *middle});
    iterations.push_back({*middle, iteration.end});
  }
  loop.iterations = std::move(iterations);
  loop.period = split.place;
  loop.run_start = loop.body_start;
  loop.run_end = loop.body_start + loop.period;
  settle_body(stream.names, loop);
}

}  // namespace

void unfold_doubled(const KernelStream& stream, std::vector<FoundLoop>& loops) {
  for (FoundLoop& loop : loops) {
    if (loop.border == BorderEvidence::kAnnotation || loop.level != SymbolLevel::kName) continue;
    while (loop.period >= 2 * kSmallestInnerPeriod) {
      const auto split = equal_halves(stream, loop);
      if (!split) break;
      FoundLoop halved = loop;
      unfold(stream, *split, halved);
      if (halved.iterations.size() == loop.iterations.size()) break;
      if (halved.exceptions > loop.exceptions + kFewEdits) break;
      loop = std::move(halved);
    }
  }
}

void unfold_alternating(const KernelStream& stream, const Likeness& likeness,
                        std::vector<FoundLoop>& loops) {
  for (FoundLoop& loop : loops) {
    const bool may_alternate = loop.holds_loop && loop.border != BorderEvidence::kAnnotation &&
                               loop.border != BorderEvidence::kGraphLaunch;
    if (!may_alternate || trains(stream, loop)) continue;
    if (const auto split = best_split(stream, likeness, loop)) unfold(stream, *split, loop);
  }
}

}  // namespace lockstep::analysis::cycles
