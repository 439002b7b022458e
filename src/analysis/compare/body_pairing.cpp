// Aligns two bodies, finds fusions in what is left, and says how alike they are.
#include "analysis/compare/body_pairing.h"

#include <algorithm>
#include <map>

#include "algo/alignment.h"
#include "analysis/compare/fusion.h"
#include "analysis/compare/pair_cost.h"

namespace lockstep {
namespace {

// Beyond this many cells (50,000 x 50,000) rows are names, not places.
constexpr std::uint64_t kMaxAlignedCells = 2'500'000'000;
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

// Classes of one body numbered by first appearance, so that the table of costs stays small.
struct LocalClasses {
  std::vector<KernelClass> distinct;
  std::vector<std::uint32_t> sequence;
  std::vector<std::uint8_t> sizes;

  explicit LocalClasses(const Body& body) {
    std::map<KernelClass, std::uint32_t> numbers;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto next = static_cast<std::uint32_t>(distinct.size());
      const auto [found, is_new] = numbers.try_emplace(body.kernels[i], next);
      if (is_new) distinct.push_back(body.kernels[i]);
      sequence.push_back(found->second);
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

RowKind kind_of(const KernelGroup& group, const Body& a, const Body& b) {
  if (group.b.empty()) return RowKind::kOnlyA;
  if (group.a.empty()) return RowKind::kOnlyB;
  if (group.a.size() > group.b.size()) return RowKind::kFused;
  if (group.b.size() > group.a.size()) return RowKind::kSplit;
  return a.kernels[group.a.front()] == b.kernels[group.b.front()] ? RowKind::kSame
                                                                  : RowKind::kSimilar;
}

std::vector<KernelGroup> aligned_groups(const KernelBook& book, const Body& a, const Body& b,
                                        bool may_turn, std::uint32_t& rotation) {
  LocalClasses left(a);
  LocalClasses right(b);
  const BodyLikeness likeness(book, a.kernels, b.kernels);
  const std::vector<std::uint16_t> costs = cost_table(likeness, left, right);
  const auto problem = [&] {
    return AlignmentProblem{left.sequence, right.sequence,
                            left.sizes,    right.sizes,
                            costs,         static_cast<std::uint32_t>(right.distinct.size()),
                            kMaxSizeCost,  kGapCost};
  };
  if (may_turn && std::uint64_t{a.size()} * b.size() <= kMaxTurnedCells) {
    rotation = best_rotation(problem());
    right.turn(rotation);
  }
  std::vector<KernelGroup> groups;
  for (const AlignedElements& at : align(problem()).elements) {
    KernelGroup& group = groups.emplace_back();
    if (at.a != kNoElement) group.a.push_back(at.a);
    if (at.b != kNoElement) {
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
  pairing.by_name = std::uint64_t{a.size()} * b.size() > kMaxAlignedCells ||
                    (a.size() + b.size()) * kGapCost >= kMaxAlignmentCost;
  pairing.groups = pairing.by_name ? groups_by_name(a, b)
                                   : aligned_groups(book, a, b, may_turn, pairing.rotation);
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

}  // namespace lockstep
