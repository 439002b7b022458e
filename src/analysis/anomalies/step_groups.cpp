// Puts steps with the same kernels into one group.
#include "analysis/anomalies/step_groups.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

#include "algo/edit_distance.h"
#include "analysis/anomalies/step_sequence.h"

namespace lockstep {
namespace {

// A step is compared with the first steps of so many groups, those that were met last. Traces whose
// steps all differ would else take quadratic time; of steps that alternate, this is plenty.
constexpr std::size_t kMostCompared = 32;

using Symbols = std::vector<std::uint32_t>;

std::uint64_t hash_of(const Symbols& symbols) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ symbols.size();
  for (const std::uint32_t symbol : symbols) {
    hash = (hash ^ symbol) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32U;
  }
  return hash;
}

class Grouper {
 public:
  explicit Grouper(const Thresholds& thresholds) : thresholds_(thresholds) {}

  // The group of a step; steps must come in their order.
  std::uint32_t group_of(Symbols symbols) {
    std::vector<Variant>& variants = variants_[hash_of(symbols)];
    for (const Variant& variant : variants) {
      if (variant.symbols == symbols) return met(variant.group);
    }
    const std::optional<std::uint32_t> near = nearly_equal(symbols);
    const std::uint32_t group = near ? *near : add_group(symbols);
    variants.push_back({group, std::move(symbols)});
    return met(group);
  }

  [[nodiscard]] std::size_t groups() const { return firsts_.size(); }

 private:
  struct Variant {
    std::uint32_t group = 0;
    Symbols symbols;
  };

  std::uint32_t add_group(const Symbols& symbols) {
    firsts_.push_back(symbols);
    recent_.push_back(static_cast<std::uint32_t>(firsts_.size() - 1));
    return recent_.back();
  }

  // Nearly equal steps come again soon: the group moves to the end of the recent ones.
  std::uint32_t met(std::uint32_t group) {
    const auto at = std::find(recent_.rbegin(), recent_.rend(), group);
    std::rotate(std::prev(at.base()), at.base(), recent_.end());
    return group;
  }

  [[nodiscard]] std::optional<std::uint32_t> nearly_equal(const Symbols& symbols) const {
    if (symbols.empty()) return std::nullopt;
    std::size_t compared = 0;
    for (auto it = recent_.rbegin(); it != recent_.rend() && compared < kMostCompared; ++it) {
      const Symbols& first = firsts_[*it];
      const std::uint32_t limit = distance_limit(first.size(), thresholds_);
      const auto [less, more] = std::minmax(first.size(), symbols.size());
      if (limit == 0 || more - less > limit) continue;
      ++compared;
      if (bounded_edit_distance(first, symbols, limit)) return *it;
    }
    return std::nullopt;
  }

  const Thresholds& thresholds_;
  std::vector<Symbols> firsts_;        // by group
  std::vector<std::uint32_t> recent_;  // groups, the last one met at the end
  std::unordered_map<std::uint64_t, std::vector<Variant>> variants_;
};

}  // namespace

std::vector<StepGroup> group_steps(const Trace& trace, const DeviceTimeline& timeline,
                                   std::vector<AnomalyStep>& steps, std::string_view id_prefix,
                                   const Thresholds& thresholds) {
  const KernelSymbols symbols(trace, timeline);
  Grouper grouper(thresholds);
  std::vector<StepGroup> groups;
  for (std::uint32_t s = 0; s < steps.size(); ++s) {
    const std::uint32_t g =
        grouper.group_of(sequence_of(trace, timeline, symbols, steps[s].kernels).symbols);
    groups.resize(grouper.groups());
    if (groups[g].steps.empty())
      groups[g].kernels = static_cast<std::uint32_t>(steps[s].kernels.size());
    groups[g].steps.push_back(s);
    groups[g].total_service += (steps[s].end - steps[s].start).ps;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &StepGroup::total_service);
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    groups[g].id = std::string(id_prefix) + std::to_string(g);
    for (const std::uint32_t s : groups[g].steps) steps[s].group = g;
  }
  return groups;
}

}  // namespace lockstep
