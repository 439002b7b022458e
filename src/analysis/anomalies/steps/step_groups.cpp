// Puts steps with the same kernels into one group.
#include "analysis/anomalies/steps/step_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "algo/sequences/edit_distance.h"
#include "analysis/anomalies/steps/step_sequence.h"

namespace lockstep::analysis::anomalies {
namespace {

// A step is compared with the templates of so many groups, those that were met last. Traces whose
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

// Sequences that come back make groups first, the most frequent one before others, so that it is
// the template that the odd ones are compared with: two steps with one kernel too many each are
// near it, and not near each other.
class Grouper {
 public:
  explicit Grouper(const Thresholds& thresholds) : thresholds_(thresholds) {}

  // Steps must come in their order.
  void add(std::uint32_t step, Symbols symbols) {
    std::vector<std::uint32_t>& known = by_hash_[hash_of(symbols)];
    for (const std::uint32_t v : known) {
      if (variants_[v].symbols != symbols) continue;
      ++variants_[v].steps;
      variant_of_.push_back(v);
      return;
    }
    known.push_back(static_cast<std::uint32_t>(variants_.size()));
    variant_of_.push_back(known.back());
    variants_.push_back({std::move(symbols), step});
  }

  // Group of each step that was added.
  std::vector<std::uint32_t> group() {
    std::vector<std::uint32_t> frequent;
    for (std::uint32_t v = 0; v < variants_.size(); ++v) {
      if (variants_[v].steps > 1) frequent.push_back(v);
    }
    std::ranges::stable_sort(frequent, std::ranges::greater{},
                             [&](std::uint32_t v) { return variants_[v].steps; });
    for (const std::uint32_t v : frequent) place(v);
    std::vector<std::uint32_t> groups;
    for (const std::uint32_t v : variant_of_) {
      place(v);
      groups.push_back(*variants_[v].group);
    }
    return groups;
  }

  // By group: the first step that runs its template.
  [[nodiscard]] std::vector<std::uint32_t> template_steps() const {
    std::vector<std::uint32_t> steps;
    for (const std::uint32_t v : templates_) steps.push_back(variants_[v].first_step);
    return steps;
  }

 private:
  struct Variant {
    Symbols symbols;
    std::uint32_t first_step = 0;
    std::uint32_t steps = 1;
    std::optional<std::uint32_t> group = std::nullopt;
  };

  // Nearly equal steps come again soon: the group becomes the last one met.
  void place(std::uint32_t v) {
    std::optional<std::uint32_t>& group = variants_[v].group;
    if (!group) group = nearly_equal(variants_[v].symbols);
    if (!group) {
      group = static_cast<std::uint32_t>(templates_.size());
      templates_.push_back(v);
      last_met_.push_back(0);
    }
    auto& recent = recent_[variants_[templates_[*group]].symbols.size()];
    recent.erase(last_met_[*group]);
    last_met_[*group] = ++placed_;
    recent.emplace(placed_, *group);
  }

  [[nodiscard]] std::optional<std::uint32_t> nearly_equal(const Symbols& symbols) const {
    if (symbols.empty()) return std::nullopt;
    for (const auto& [met, group] : groups_of_about(symbols.size())) {
      const Symbols& other = variants_[templates_[group]].symbols;
      if (algo::bounded_edit_distance(other, symbols, distance_limit(other.size(), thresholds_)))
        return group;
    }
    return std::nullopt;
  }

  struct MetGroup {
    std::uint64_t met = 0;
    std::uint32_t group = 0;
  };

  // Groups whose template has about as many kernels, the last ones met first. Walks over lengths,
  // of which the distance leaves few, not over groups.
  [[nodiscard]] std::vector<MetGroup> groups_of_about(std::size_t kernels) const {
    std::vector<MetGroup> groups;
    const auto middle = recent_.lower_bound(kernels);
    for (auto it = middle; it != recent_.end() && is_about(it->first, kernels); ++it)
      take_last_met(*it, kernels, groups);
    for (auto it = middle; it != recent_.begin() && is_about(std::prev(it)->first, kernels); --it)
      take_last_met(*std::prev(it), kernels, groups);
    const std::size_t most = std::min(groups.size(), kMostCompared);
    std::ranges::partial_sort(groups, groups.begin() + static_cast<std::ptrdiff_t>(most),
                              std::ranges::greater{}, &MetGroup::met);
    groups.resize(most);
    return groups;
  }

  [[nodiscard]] bool is_about(std::size_t other, std::size_t kernels) const {
    const auto [less, more] = std::minmax(other, kernels);
    return static_cast<double>(more - less) <=
           thresholds_.group_distance * static_cast<double>(other);
  }

  using GroupsByMet = std::map<std::uint64_t, std::uint32_t>;
  void take_last_met(const std::pair<const std::size_t, GroupsByMet>& recent, std::size_t kernels,
                     std::vector<MetGroup>& groups) const {
    const std::uint32_t limit = distance_limit(recent.first, thresholds_);
    const auto [less, more] = std::minmax(recent.first, kernels);
    if (limit == 0 || more - less > limit) return;
    for (const auto& [met, group] :
         recent.second | std::views::reverse | std::views::take(kMostCompared)) {
      groups.push_back({met, group});
    }
  }

  const Thresholds& thresholds_;
  std::vector<Variant> variants_;          // different sequences, as they first came
  std::vector<std::uint32_t> variant_of_;  // by step
  std::vector<std::uint32_t> templates_;   // by group: the variant
  std::vector<std::uint64_t> last_met_;    // by group: how many variants were placed by then
  std::uint64_t placed_ = 0;
  std::map<std::size_t, GroupsByMet> recent_;  // groups by kernels of the template
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;
};

}  // namespace

Grouping group_steps(const trace::Trace& trace, const DeviceTimeline& timeline,
                     std::span<const StepFrame> steps, std::string_view id_prefix,
                     const Thresholds& thresholds) {
  const KernelSymbols symbols(trace, timeline);
  Grouper grouper(thresholds);
  for (std::uint32_t s = 0; s < steps.size(); ++s)
    grouper.add(s, sequence_of(trace, timeline, symbols, steps[s].kernels).symbols);
  std::vector<std::uint32_t> group_of = grouper.group();
  std::vector<GroupMembers> groups;
  for (const std::uint32_t s : grouper.template_steps()) {
    GroupMembers& group = groups.emplace_back();
    group.template_step = s;
    group.kernels = static_cast<std::uint32_t>(steps[s].kernels.size());
  }
  for (std::uint32_t s = 0; s < steps.size(); ++s) {
    GroupMembers& group = groups[group_of[s]];
    group.steps.push_back(s);
    group.total_service += steps[s].service().ps;
  }
  std::ranges::stable_sort(groups, std::ranges::greater{}, &GroupMembers::total_service);
  for (std::uint32_t g = 0; g < groups.size(); ++g) {
    groups[g].id = std::string(id_prefix) + std::to_string(g);
    for (const std::uint32_t s : groups[g].steps) group_of[s] = g;
  }
  return {std::move(groups), std::move(group_of)};
}

}  // namespace lockstep::analysis::anomalies
