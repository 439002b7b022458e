// Aligns two bodies, finds fusions in what is left, and says how alike they are.
#include "analysis/compare/body_pairing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "algo/sequences/alignment.h"
#include "algo/sequences/edit_distance.h"
#include "analysis/compare/fusion.h"
#include "analysis/compare/pair_cost.h"

namespace lockstep::analysis::compare {
namespace {

// Beyond this many cells (20,000 x 20,000) rows are names, not places; unless the bodies are so
// nearly equal that an alignment looks at no more.
constexpr std::uint64_t kMaxAlignedCells = 400'000'000;
// So they are beyond this many entries of the table of costs (4,096 x 4,096 kinds of kernels):
// where hardly a name comes twice, a name is a place.
constexpr std::uint64_t kMaxCosts = std::uint64_t{1} << 24;
// Beyond this many a body stays as its loop begins.
constexpr std::uint64_t kMaxTurnedCells = std::uint64_t{1} << 27;

// How much a pair counts for the similarity of two bodies.
double weight_of(Likeness likeness) {
  switch (likeness) {
    case Likeness::kSameName:
      return 1;
    case Likeness::kSameSignature:
    case Likeness::kSameOperation:
      return 0.9;
    case Likeness::kSameRole:
      return 0.8;
    default:
      return 0.5;
  }
}
constexpr double kFusedWeight = 0.8;

// What the likeness to kernels of the other body depends on. Names, and signatures, that only one
// body has make no difference there, so thousands of them are few kinds.
using KernelKind = std::tuple<std::optional<KernelClass>, std::optional<std::uint32_t>,
                              kernels::KernelRole, kernels::AttentionUse, bool, std::uint64_t>;

// Tells kinds apart.
class KindFinder {
 public:
  KindFinder(const BodyLikeness& likeness, const Body& a, const Body& b) : likeness_(likeness) {
    std::set<std::uint32_t> of_a;
    for (const KernelClass kernel : a.kernels) of_a.insert(likeness.book()[kernel].signature);
    for (const KernelClass kernel : b.kernels) {
      const std::uint32_t signature = likeness.book()[kernel].signature;
      if (of_a.contains(signature)) common_signatures_.insert(signature);
    }
  }

  [[nodiscard]] KernelKind kind(KernelClass kernel) const {
    const KernelEntry& entry = likeness_.book()[kernel];
    const bool is_common = common_signatures_.contains(entry.signature);
    return {likeness_.is_in_both(kernel) ? std::optional(kernel) : std::nullopt,
            is_common ? std::optional(entry.signature) : std::nullopt,
            entry.facts.role,
            entry.facts.attention,
            entry.is_helper,
            entry.mentions.bits()};
  }

 private:
  const BodyLikeness& likeness_;
  std::set<std::uint32_t> common_signatures_;
};

// Kernels of one body by kinds, numbered by first appearance, so that the table of costs stays
// small.
struct LocalClasses {
  std::vector<KernelClass> distinct;  // the first kernel of each kind
  std::vector<std::uint32_t> sequence;
  std::vector<std::uint8_t> sizes;

  LocalClasses(const KindFinder& finder, const Body& body) {
    std::map<KernelKind, std::uint32_t> numbers;
    std::map<KernelClass, std::uint32_t> number_of;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto [known, is_new_name] = number_of.try_emplace(body.kernels[i], 0);
      if (is_new_name) {
        const auto next = static_cast<std::uint32_t>(distinct.size());
        const auto [found, is_new] = numbers.try_emplace(finder.kind(body.kernels[i]), next);
        if (is_new) distinct.push_back(body.kernels[i]);
        known->second = found->second;
      }
      sequence.push_back(known->second);
      sizes.push_back(size_of_duration(body.mean_ps[i]));
    }
  }
  void turn(std::uint32_t rotation) {
    std::ranges::rotate(sequence, sequence.begin() + rotation);
    std::ranges::rotate(sizes, sizes.begin() + rotation);
  }
};

std::vector<std::uint16_t> cost_table(const BodyLikeness& likeness, const LocalClasses& a,
                                      const LocalClasses& b) {
  std::vector<std::uint16_t> costs;
  costs.reserve(a.distinct.size() * b.distinct.size());
  for (const KernelClass left : a.distinct) {
    for (const KernelClass right : b.distinct) {
      costs.push_back(likeness_cost(likeness(left, right)));
    }
  }
  return costs;
}

// Whether aligning takes seconds at most. Time grows with the differences.
bool is_short_enough(const Body& a, const Body& b) {
  const std::uint64_t both = a.size() + b.size();
  if (both * kGapCost >= algo::kMaxAlignmentCost) return false;
  if (std::uint64_t{a.size()} * b.size() <= kMaxAlignedCells) return true;
  const auto limit = static_cast<std::uint32_t>(kMaxAlignedCells / (4 * both));
  return algo::bounded_edit_distance(a.kernels, b.kernels, limit).has_value();
}

RowKind kind_of(const KernelGroup& group, const Body& a, const Body& b) {
  if (group.b.empty()) return RowKind::kOnlyA;
  if (group.a.empty()) return RowKind::kOnlyB;
  if (group.a.size() > group.b.size()) return RowKind::kFused;
  if (group.b.size() > group.a.size()) return RowKind::kSplit;
  return a.kernels[group.a.front()] == b.kernels[group.b.front()] ? RowKind::kSame
                                                                  : RowKind::kSimilar;
}

// Nothing where that would take too much time or memory.
std::optional<std::vector<KernelGroup>> aligned_groups(const KernelBook& book, const Body& a,
                                                       const Body& b, bool may_turn,
                                                       std::uint32_t& rotation) {
  if (!is_short_enough(a, b)) return std::nullopt;
  const BodyLikeness likeness(book, a.kernels, b.kernels);
  const KindFinder finder(likeness, a, b);
  const LocalClasses left(finder, a);
  LocalClasses right(finder, b);
  if (std::uint64_t{left.distinct.size()} * right.distinct.size() > kMaxCosts) return std::nullopt;
  const std::vector<std::uint16_t> costs = cost_table(likeness, left, right);
  const auto problem = [&] {
    return algo::AlignmentProblem{left.sequence, right.sequence,
                                  left.sizes,    right.sizes,
                                  costs,         static_cast<std::uint32_t>(right.distinct.size()),
                                  kMaxSizeCost,  kGapCost};
  };
  if (may_turn && std::uint64_t{a.size()} * b.size() <= kMaxTurnedCells) {
    rotation = algo::best_rotation(problem());
    right.turn(rotation);
  }
  std::vector<KernelGroup> groups;
  for (const algo::AlignedElements& at : algo::align(problem()).elements) {
    KernelGroup& group = groups.emplace_back();
    if (at.a != algo::kNoElement) group.a.push_back(at.a);
    if (at.b != algo::kNoElement) {
      group.b.push_back(static_cast<std::uint32_t>((at.b + rotation) % b.size()));
    }
  }
  return find_fusions(likeness, a, b, std::move(groups));
}

// All kernels of one name together; names in the order of a, then what only b has.
std::vector<KernelGroup> groups_by_name(const Body& a, const Body& b) {
  std::vector<KernelGroup> groups;
  std::map<KernelClass, std::size_t> group_of;
  const auto group = [&](KernelClass kernel) -> KernelGroup& {
    const auto [found, is_new] = group_of.try_emplace(kernel, groups.size());
    if (is_new) groups.emplace_back();
    return groups[found->second];
  };
  for (std::uint32_t i = 0; i < a.size(); ++i) group(a.kernels[i]).a.push_back(i);
  for (std::uint32_t i = 0; i < b.size(); ++i) group(b.kernels[i]).b.push_back(i);
  return groups;
}

struct Share {
  double time = 0;
  double count = 0;
};

Share share_of(const std::vector<std::uint32_t>& positions, const Body& body) {
  Share share{0, static_cast<double>(positions.size())};
  for (const std::uint32_t position : positions) {
    share.time += static_cast<double>(body.mean_ps[position]);
  }
  return share;
}

double similarity_of(const KernelBook& book, const Body& a, const Body& b,
                     const std::vector<KernelGroup>& groups) {
  Share all;
  Share common;
  for (const KernelGroup& group : groups) {
    const Share of_a = share_of(group.a, a);
    const Share of_b = share_of(group.b, b);
    all.time += of_a.time + of_b.time;
    all.count += of_a.count + of_b.count;
    double weight = 0;
    if (group.kind == RowKind::kFused || group.kind == RowKind::kSplit) weight = kFusedWeight;
    if (group.kind == RowKind::kSame || group.kind == RowKind::kSimilar) {
      weight = weight_of(book.likeness(a.kernels[group.a.front()], b.kernels[group.b.front()]));
    }
    common.time += weight * (of_a.time + of_b.time);
    common.count += weight * (of_a.count + of_b.count);
  }
  if (all.count == 0) return 0;
  const double count = common.count / all.count;
  return all.time > 0 ? (common.time / all.time + count) / 2 : count;
}

}  // namespace

BodyPairing pair_bodies(const KernelBook& book, const Body& a, const Body& b, bool may_turn) {
  BodyPairing pairing;
  auto aligned = aligned_groups(book, a, b, may_turn, pairing.rotation);
  pairing.by_name = !aligned.has_value();
  pairing.groups = aligned ? std::move(*aligned) : groups_by_name(a, b);
  for (KernelGroup& group : pairing.groups) {
    // A group may reach over the end of a turned body.
    std::ranges::sort(group.a);
    std::ranges::sort(group.b);
    group.kind = kind_of(group, a, b);
    if (pairing.by_name && !group.a.empty() && !group.b.empty()) group.kind = RowKind::kSame;
  }
  pairing.similarity = similarity_of(book, a, b, pairing.groups);
  return pairing;
}

}  // namespace lockstep::analysis::compare
