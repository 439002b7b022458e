// Profiles, their similarity, and the assignments made on it.
#include "analysis/compare/matching.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

#include "algo/assignment.h"

namespace lockstep::analysis::compare {
namespace {

// Similarities become whole numbers for the assignment.
constexpr double kScale = 1'000'000;
// What is common by signature or by role only counts less than what is common by name.
constexpr double kSignatureWeight = 0.9;
constexpr double kRoleWeight = 0.6;
// Bonuses decide between alike candidates; they never make a pair.
constexpr double kRankBonus = 0.06;
constexpr double kDeviceBonus = 0.02;
constexpr double kStreamBonus = 0.02;
constexpr double kOrderBonus = 0.02;
// An assignment of n things takes n^3: beyond this many a side only the longest take part in it.
constexpr std::size_t kMaxAssigned = 800;
// Streams with less in common are left alone.
constexpr double kMinStreamSimilarity = 0.05;

cycles::Iteration whole(const cycles::KernelStream& stream) {
  return {0, static_cast<std::uint32_t>(stream.size())};
}

// The first of these cannot be the second.
bool contradict(cycles::PhaseName a, cycles::PhaseName b, bool pair_phases) {
  const auto is_one_of = [](cycles::PhaseName phase,
                            std::initializer_list<cycles::PhaseName> names) {
    return std::ranges::find(names, phase) != names.end();
  };
  if (a == b || a == cycles::PhaseName::kUnknown || b == cycles::PhaseName::kUnknown) return false;
  // A forward pass may be a prefill; a mixed batch may stand for either. What trains goes with
  // nothing but its own parts: what a model says or encodes is no step.
  const auto clash = [&](cycles::PhaseName left, cycles::PhaseName right) {
    if (left == cycles::PhaseName::kDecode)
      return !pair_phases && is_one_of(right, {cycles::PhaseName::kPrefill});
    if (left == cycles::PhaseName::kBackward || left == cycles::PhaseName::kOptimizer) return true;
    if (left != cycles::PhaseName::kTraining) return false;
    return is_one_of(
        right, {cycles::PhaseName::kPrefill, cycles::PhaseName::kDecode, cycles::PhaseName::kMixed,
                cycles::PhaseName::kEncoder, cycles::PhaseName::kRequest});
  };
  return clash(a, b) || clash(b, a);
}

double phase_factor(cycles::PhaseName a, cycles::PhaseName b) {
  if (a == b) return 1;
  return a == cycles::PhaseName::kUnknown || b == cycles::PhaseName::kUnknown ? 0.9 : 0.8;
}

double role_factor(const PairSide& a, const PairSide& b) {
  // A pass that ran once is a segment, and may well be the partner of a loop of passes.
  if (a.role != cycles::LoopRole::kUnknown && a.role == b.role) return 1;
  if (a.loop.has_value() != b.loop.has_value()) return 0.7;
  return a.role == cycles::LoopRole::kUnknown || b.role == cycles::LoopRole::kUnknown ? 1 : 0.8;
}

// A body of two kernels is not like one of seven hundred, however alike the two are.
double length_factor(std::size_t a, std::size_t b) {
  const auto shorter = static_cast<double>(std::min(a, b));
  const auto longer = static_cast<double>(std::max(a, b));
  return longer == 0 ? 1 : 0.5 + 0.5 * std::sqrt(shorter / longer);
}

// What is left to be assigned: the `limit` heaviest of those without a partner, in order.
std::vector<std::uint32_t> heaviest(std::vector<std::uint32_t> indices, std::size_t limit,
                                    const std::function<std::int64_t(std::uint32_t)>& weight) {
  if (indices.size() <= limit) return indices;
  std::ranges::stable_sort(indices, std::greater{}, weight);
  indices.resize(limit);
  std::ranges::sort(indices);
  return indices;
}

std::vector<std::uint32_t> without_partner(const Partners& partners) {
  std::vector<std::uint32_t> alone;
  for (std::uint32_t i = 0; i < partners.size(); ++i) {
    if (!partners[i]) alone.push_back(i);
  }
  return alone;
}

std::vector<std::uint32_t> not_partners(const Partners& partners, std::size_t size_b) {
  std::vector<bool> is_taken(size_b, false);
  for (const auto& partner : partners) {
    if (partner) is_taken[*partner] = true;
  }
  std::vector<std::uint32_t> alone;
  for (std::uint32_t j = 0; j < size_b; ++j) {
    if (!is_taken[j]) alone.push_back(j);
  }
  return alone;
}

// Pairs equal keys, the first with the first.
template <typename Key>
Partners pair_twins(const std::vector<Key>& a, const std::vector<Key>& b) {
  std::map<Key, std::vector<std::uint32_t>> places;  // of b, the last first
  for (auto j = static_cast<std::uint32_t>(b.size()); j > 0; --j) places[b[j - 1]].push_back(j - 1);
  Partners partners(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto found = places.find(a[i]);
    if (found == places.end() || found->second.empty()) continue;
    partners[i] = found->second.back();
    found->second.pop_back();
  }
  return partners;
}

// Adds the best assignment among the chosen ones by `value` (0 or less: never).
void assign(Partners& partners, const std::vector<std::uint32_t>& chosen_a,
            const std::vector<std::uint32_t>& chosen_b,
            const std::function<double(std::uint32_t, std::uint32_t)>& value) {
  std::vector<std::int64_t> values;
  values.reserve(chosen_a.size() * chosen_b.size());
  for (const std::uint32_t i : chosen_a) {
    for (const std::uint32_t j : chosen_b) values.push_back(std::llround(value(i, j) * kScale));
  }
  const auto assigned = algo::best_assignment(values, static_cast<std::uint32_t>(chosen_a.size()),
                                              static_cast<std::uint32_t>(chosen_b.size()));
  for (std::size_t i = 0; i < assigned.size(); ++i) {
    if (assigned[i]) partners[chosen_a[i]] = chosen_b[*assigned[i]];
  }
}

std::int64_t kernel_time(const cycles::KernelStream& stream) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < stream.size(); ++i) sum += stream.duration(i).ps;
  return sum;
}

using StreamIdentity = std::tuple<std::optional<std::int64_t>, std::string, std::string>;

std::vector<StreamIdentity> identities(std::span<const cycles::StreamCycles> streams) {
  std::vector<StreamIdentity> result;
  for (const cycles::StreamCycles& cycles : streams) {
    const cycles::KernelStream& stream = cycles.stream;
    result.emplace_back(stream.rank_number, stream.device_id, stream.stream_id);
  }
  return result;
}

double identity_bonus(const cycles::KernelStream& a, const cycles::KernelStream& b) {
  double bonus = 0;
  if (a.rank_number == b.rank_number) bonus += kRankBonus;
  if (a.device_id == b.device_id) bonus += kDeviceBonus;
  if (a.stream_id == b.stream_id) bonus += kStreamBonus;
  return bonus;
}

// Where an item stands among those of its stream, 0 to 1.
double place_of(std::uint32_t index, std::size_t count) {
  return count < 2 ? 0 : static_cast<double>(index) / static_cast<double>(count - 1);
}

std::vector<KernelMix> profiles_of(const KernelBook& book, const StreamItems& side) {
  std::vector<KernelMix> profiles;
  profiles.reserve(side.items.size());
  for (const CompareItem& item : side.items) {
    profiles.emplace_back(book, side.stream, item.body, side.classes);
  }
  return profiles;
}

// Items with equal keys are the same work.
using ItemKey = std::tuple<cycles::PhaseName, cycles::LoopRole, bool, std::vector<KernelClass>>;

std::vector<ItemKey> item_keys(const StreamItems& side) {
  std::vector<ItemKey> keys;
  for (const CompareItem& item : side.items) {
    std::vector<KernelClass> kernels;
    for (std::uint32_t k = item.body.start; k < item.body.end; ++k) {
      kernels.push_back(side.classes[side.stream.names[k]]);
    }
    keys.emplace_back(item.side.phase, item.side.role, item.side.loop.has_value(),
                      std::move(kernels));
  }
  return keys;
}

std::int64_t time_of(const CompareItem& item) {
  std::int64_t wall = 0;
  for (const cycles::IterationTime& iteration : item.iterations) wall += iteration.wall.ps;
  return wall;
}

// Of all items of the side, 0 to 1 each.
std::vector<double> time_shares(const StreamItems& side) {
  double all = 0;
  for (const CompareItem& item : side.items) all += static_cast<double>(time_of(item));
  std::vector<double> shares;
  for (const CompareItem& item : side.items) {
    shares.push_back(all > 0 ? static_cast<double>(time_of(item)) / all : 0);
  }
  return shares;
}

}  // namespace

KernelMix::KernelMix(const KernelBook& book, const cycles::KernelStream& stream,
                     cycles::Iteration range, std::span<const KernelClass> classes)
    : size_(range.size()) {
  double time = 0;
  for (std::uint32_t k = range.start; k < range.end; ++k) {
    time += static_cast<double>(stream.duration(k).ps);
  }
  const auto count = static_cast<double>(range.size());
  std::map<KernelClass, double> shares;
  for (std::uint32_t k = range.start; k < range.end; ++k) {
    const double of_time = time > 0 ? static_cast<double>(stream.duration(k).ps) / time : 1 / count;
    shares[classes[stream.names[k]]] += (of_time + 1 / count) / 2;
  }
  std::map<std::uint32_t, double> signatures;
  std::map<std::uint32_t, double> roles;
  for (const auto& [kernel, share] : shares) {
    const KernelEntry& entry = book[kernel];
    signatures[entry.signature] += share;
    const bool is_known = entry.facts.role != kernels::KernelRole::kOther;
    const auto role = static_cast<std::uint32_t>(entry.facts.role);
    const auto unknown = static_cast<std::uint32_t>(kernels::kKernelRoleCount) + entry.signature;
    roles[is_known ? role : unknown] += share;
  }
  by_name_.assign(shares.begin(), shares.end());
  by_signature_.assign(signatures.begin(), signatures.end());
  by_role_.assign(roles.begin(), roles.end());
}

double KernelMix::common(const Shares& a, const Shares& b) {
  double sum = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (i->first == j->first) sum += std::min(i->second, j->second);
    if (i->first < j->first) {
      ++i;
    } else if (j->first < i->first) {
      ++j;
    } else {
      ++i;
      ++j;
    }
  }
  return sum;
}

double KernelMix::similarity(const KernelMix& other) const {
  const double by_name = common(by_name_, other.by_name_);
  const double by_signature = std::max(by_name, common(by_signature_, other.by_signature_));
  const double by_role = std::max(by_signature, common(by_role_, other.by_role_));
  const double all = by_name + kSignatureWeight * (by_signature - by_name) +
                     kRoleWeight * (by_role - by_signature);
  return std::min(all, 1.0);
}

double stream_similarity(const KernelBook& book, const cycles::KernelStream& a,
                         std::span<const KernelClass> classes_a, const cycles::KernelStream& b,
                         std::span<const KernelClass> classes_b) {
  return KernelMix(book, a, whole(a), classes_a)
      .similarity(KernelMix(book, b, whole(b), classes_b));
}

Partners match_streams(const KernelBook& book, std::span<const cycles::StreamCycles> a,
                       std::span<const std::vector<KernelClass>> classes_a,
                       std::span<const cycles::StreamCycles> b,
                       std::span<const std::vector<KernelClass>> classes_b) {
  const auto profiles = [&](std::span<const cycles::StreamCycles> streams,
                            std::span<const std::vector<KernelClass>> classes) {
    std::vector<KernelMix> result;
    for (std::size_t i = 0; i < streams.size(); ++i) {
      result.emplace_back(book, streams[i].stream, whole(streams[i].stream), classes[i]);
    }
    return result;
  };
  const std::vector<KernelMix> of_a = profiles(a, classes_a);
  const std::vector<KernelMix> of_b = profiles(b, classes_b);
  Partners partners = pair_twins(identities(a), identities(b));
  for (std::uint32_t i = 0; i < partners.size(); ++i) {
    if (partners[i] && !(of_a[i] == of_b[*partners[i]])) partners[i].reset();
  }
  const auto chosen_a = heaviest(without_partner(partners), kMaxAssigned,
                                 [&](std::uint32_t i) { return kernel_time(a[i].stream); });
  const auto chosen_b = heaviest(not_partners(partners, b.size()), kMaxAssigned,
                                 [&](std::uint32_t i) { return kernel_time(b[i].stream); });
  assign(partners, chosen_a, chosen_b, [&](std::uint32_t i, std::uint32_t j) {
    const double alike =
        of_a[i].similarity(of_b[j]) * length_factor(of_a[i].size(), of_b[j].size());
    if (alike < kMinStreamSimilarity) return 0.0;
    return alike + identity_bonus(a[i].stream, b[j].stream);
  });
  return partners;
}

Partners match_items(const KernelBook& book, const StreamItems& a, const StreamItems& b,
                     double min_similarity, bool pair_phases) {
  const std::vector<KernelMix> of_a = profiles_of(book, a);
  const std::vector<KernelMix> of_b = profiles_of(book, b);
  const std::vector<double> shares_a = time_shares(a);
  const std::vector<double> shares_b = time_shares(b);
  Partners partners = pair_twins(item_keys(a), item_keys(b));
  const auto chosen_a = heaviest(without_partner(partners), kMaxAssigned,
                                 [&](std::uint32_t i) { return time_of(a.items[i]); });
  const auto chosen_b = heaviest(not_partners(partners, b.items.size()), kMaxAssigned,
                                 [&](std::uint32_t i) { return time_of(b.items[i]); });
  assign(partners, chosen_a, chosen_b, [&](std::uint32_t i, std::uint32_t j) {
    const PairSide& left = a.items[i].side;
    const PairSide& right = b.items[j].side;
    if (contradict(left.phase, right.phase, pair_phases)) return 0.0;
    const double alike = of_a[i].similarity(of_b[j]) * phase_factor(left.phase, right.phase) *
                         role_factor(left, right) * length_factor(of_a[i].size(), of_b[j].size());
    if (alike < min_similarity) return 0.0;
    const double apart = place_of(i, a.items.size()) - place_of(j, b.items.size());
    // A pair counts up to twice for the time that both have: two main loops that are alike by
    // half are a better pair than a main loop and a few kernels that are alike by two thirds.
    return alike * (1 + std::min(shares_a[i], shares_b[j])) + kOrderBonus * (1 - std::abs(apart));
  });
  return partners;
}

}  // namespace lockstep::analysis::compare
