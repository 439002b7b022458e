// Numbers that were moved, by what they were before.
#include "formats/chrome_json/ranks/moved_numbers.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>

#include "formats/chrome_json/ranks/added_constant.h"
#include "formats/chrome_json/ranks/labelled_plan.h"

namespace lockstep::formats::chrome_json {
namespace {

// More ranks than this never take turns. The first numbers of ranks that fit decide; some may fit
// by chance.
constexpr std::int64_t kMaxRanksInTurn = 4096;
constexpr int kMaxTurnsThatFit = 64;
// Kineto's process of what no thread did.
constexpr std::int64_t kNobody = -1;

struct Numbered {
  std::size_t process = 0;  // its place
  std::int64_t pid = 0;
  const ProcessFacts* facts = nullptr;
};

std::vector<Numbered> numbered_processes(std::span<const ProcessFacts> processes) {
  std::vector<Numbered> all;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const auto number = number_of(processes[p].pid);
    if (number && processes[p].has_events()) all.push_back({p, *number, &processes[p]});
  }
  return all;
}

class OwnNumbers {
 public:
  OwnNumbers(std::span<const ProcessFacts> processes, const BondsOfFile& bonds)
      : processes_(processes), bonds_of_file_(bonds), numbered_(numbered_processes(processes)) {}

  [[nodiscard]] RankPlan plan() {
    for (const Numbered& one : numbered_) {
      has_host_ |= one.facts->has_host;
      has_device_ |= one.facts->has_device;
    }
    const bool has_named_device = std::ranges::any_of(processes_, [](const ProcessFacts& process) {
      return process.has_device && !number_of(process.pid);
    });
    if (has_named_device || !measure_distances()) return {};
    if (!has_device_) return by_distances();
    bonds_ = bonds_of_file_();
    std::ranges::sort(bonds_, {}, &LaunchBond::host);
    RankPlan plan = by_turns();
    if (!plan.is_merged()) plan = by_distances();
    return plan.is_merged() ? plan : unclear_plan();
  }

 private:
  // False where the numbers of devices (or, without any, of all) are not known or did not move
  // apart.
  [[nodiscard]] bool measure_distances() {
    for (const Numbered& one : numbered_) {
      if (!one.facts->has_device && (has_device_ || one.pid == kNobody)) continue;
      const auto own = has_device_ ? one.facts->device : one.facts->process;
      if (!own) return false;
      distances_.insert(one.pid - *own);
    }
    return distances_.size() > 1;
  }

  [[nodiscard]] bool is_sound(const RankPlan& plan) const {
    return plan.is_merged() && are_ranks_alike(processes_, plan) && keeps_bonds(plan, bonds_);
  }

  // The device that a process with threads launched on.
  [[nodiscard]] const ProcessFacts* device_of(std::size_t host) const {
    const auto bond = std::ranges::lower_bound(bonds_, host, {}, &LaunchBond::host);
    return bond != bonds_.end() && bond->host == host ? &processes_[bond->device] : nullptr;
  }

  [[nodiscard]] std::optional<std::int64_t> distance_of(const Numbered& one) const {
    const ProcessFacts& facts = *one.facts;
    if (facts.has_device) return one.pid - *facts.device;
    const bool has_place = has_own_places_ && facts.process;
    const auto by_place = has_place ? std::optional(one.pid - *facts.process) : std::nullopt;
    const ProcessFacts* const device = device_of(one.process);
    const auto number = device == nullptr ? std::nullopt : number_of(device->pid);
    if (!number) return by_place ? by_place : distance_of_nobody(one.pid);
    const std::int64_t by_launches = *number - *device->device;
    if (by_place && *by_place != by_launches) return std::nullopt;
    return by_launches;
  }

  [[nodiscard]] std::optional<std::int64_t> distance_of_nobody(std::int64_t pid) const {
    const std::int64_t distance = pid - kNobody;
    return distances_.contains(distance) ? std::optional(distance) : std::nullopt;
  }

  // Tools also give processes places of their own, or move them with the ids.
  [[nodiscard]] bool are_places_own() const {
    bool is_any_moved = false;
    for (const Numbered& one : numbered_) {
      if (one.facts->has_device || !one.facts->process) continue;
      const std::int64_t distance = one.pid - *one.facts->process;
      if (!distances_.contains(distance)) return false;
      is_any_moved |= distance != 0;
    }
    return is_any_moved;
  }

  [[nodiscard]] RankPlan by_distances() {
    if (*distances_.begin() < 0) return {};
    // Devices and processes that were moved alike need no more proof.
    const bool has_both = has_host_ && has_device_;
    if (!has_both && closest() < kMinConstant) return {};
    has_own_places_ = are_places_own();
    const std::optional<std::int64_t> constant = certain_constant(distances_);
    ProcessLabels labels(processes_.size());
    for (const Numbered& one : numbered_) {
      const std::optional<std::int64_t> distance = distance_of(one);
      if (!distance) return {};
      labels[one.process] = RankLabel{std::to_string(*distance), *distance / constant.value_or(1),
                                      std::to_string(one.pid - *distance)};
    }
    RankPlan plan = plan_of(processes_, labels);
    if (!constant) std::ranges::fill(plan.numbers, std::nullopt);
    return is_sound(plan) ? plan : RankPlan{};
  }

  [[nodiscard]] std::int64_t closest() const {
    std::int64_t least = INT64_MAX;
    for (auto next = distances_.begin(); std::next(next) != distances_.end(); ++next) {
      least = std::min(least, *std::next(next) - *next);
    }
    return least;
  }

  // Number and rank are what the number of ranks leaves of an id.
  [[nodiscard]] RankPlan by_turns() const {
    if (!has_host_) return {};
    int fitting = 0;
    for (std::int64_t ranks = 2; ranks <= kMaxRanksInTurn; ++ranks) {
      const bool fits = std::ranges::all_of(numbered_, [&](const Numbered& one) {
        return is_confirmed(one, own_by_turns(one, ranks));
      });
      if (!fits) continue;
      if (++fitting > kMaxTurnsThatFit) break;
      ProcessLabels labels(processes_.size());
      for (const Numbered& one : numbered_) {
        const std::int64_t own = own_by_turns(one, ranks);
        const std::int64_t rank = one.pid - own * ranks;
        labels[one.process] = RankLabel{std::to_string(rank), rank, std::to_string(own)};
      }
      RankPlan plan = plan_of(processes_, labels);
      if (!is_sound(plan)) continue;
      if (std::ssize(plan.numbers) != ranks) std::ranges::fill(plan.numbers, std::nullopt);
      return plan;
    }
    return {};
  }

  [[nodiscard]] static std::int64_t own_by_turns(const Numbered& one, std::int64_t ranks) {
    return one.pid >= 0 ? one.pid / ranks : -((-one.pid + ranks - 1) / ranks);
  }

  [[nodiscard]] bool is_confirmed(const Numbered& one, std::int64_t own) const {
    const ProcessFacts& facts = *one.facts;
    if (facts.has_device) return own == *facts.device;
    return own == facts.process || own == kNobody || device_of(one.process) != nullptr;
  }

  std::span<const ProcessFacts> processes_;
  const BondsOfFile& bonds_of_file_;
  std::vector<Numbered> numbered_;
  bool has_host_ = false;
  bool has_device_ = false;
  bool has_own_places_ = false;
  std::vector<LaunchBond> bonds_;     // by host
  std::set<std::int64_t> distances_;  // how far ids of devices (or, without any, of all) were moved
};

}  // namespace

RankPlan plan_by_own_numbers(std::span<const ProcessFacts> processes, const BondsOfFile& bonds) {
  return OwnNumbers(processes, bonds).plan();
}

}  // namespace lockstep::formats::chrome_json
