// Plans of labels.
#include "formats/chrome_json/ranks/labelled_plan.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep::formats::chrome_json {

RankPlan unclear_plan() {
  RankPlan plan;
  plan.is_unclear = true;
  return plan;
}

bool must_have_label(const ProcessFacts& process) {
  if (!process.has_events()) return false;
  const auto number = number_of(process.pid);
  return process.has_device || (number && *number >= 0);
}

RankPlan plan_of(std::span<const ProcessFacts> processes, const ProcessLabels& labels) {
  // By number, then by text: "10" is behind "9".
  std::map<std::tuple<bool, std::int64_t, std::string>, std::size_t> ranks;
  const auto key_of = [](const RankLabel& label) {
    return std::tuple(!label.number, label.number.value_or(0), label.text);
  };
  for (std::size_t p = 0; p < processes.size(); ++p) {
    if (labels[p] && processes[p].has_events()) ranks.try_emplace(key_of(*labels[p]));
  }
  RankPlan plan;
  for (auto& [key, rank] : ranks) {
    rank = plan.numbers.size();
    const bool is_known = !std::get<0>(key);
    plan.numbers.push_back(is_known ? std::optional(std::get<1>(key)) : std::nullopt);
  }
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const auto rank = labels[p] ? ranks.find(key_of(*labels[p])) : ranks.end();
    plan.rank_of.push_back(rank == ranks.end() ? 0 : rank->second);
    plan.own_ids.push_back(labels[p] ? labels[p]->own_id : std::string(processes[p].pid));
  }
  return plan;
}

bool are_ranks_alike(std::span<const ProcessFacts> processes, const RankPlan& plan) {
  struct Sides {
    bool has_host = false;
    bool has_device = false;
    bool operator==(const Sides&) const = default;
  };
  std::vector<Sides> sides(plan.numbers.size());
  for (std::size_t p = 0; p < processes.size(); ++p) {
    // What no rank owns says nothing of the first, and Kineto's -1 of no rank that it has threads.
    const bool is_nobody = plan.own_ids[p] == "-1" && !processes[p].has_device;
    const bool is_owned = must_have_label(processes[p]) || plan.own_ids[p] != processes[p].pid;
    if (is_nobody || !is_owned) continue;
    sides[plan.rank_of[p]].has_host |= processes[p].has_host;
    sides[plan.rank_of[p]].has_device |= processes[p].has_device;
  }
  return std::ranges::all_of(sides, [&](const Sides& rank) { return rank == sides.front(); });
}

bool keeps_devices(std::span<const ProcessFacts> processes, const RankPlan& plan) {
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const ProcessFacts& process = processes[p];
    if (!process.has_device || !process.device) continue;
    if (plan.own_ids[p] != std::to_string(*process.device)) return false;
  }
  return true;
}

bool keeps_bonds(const RankPlan& plan, std::span<const LaunchBond> bonds) {
  return std::ranges::all_of(bonds, [&](const LaunchBond& bond) {
    return plan.rank_of[bond.host] == plan.rank_of[bond.device];
  });
}

void label_by_bonds(std::span<const ProcessFacts> processes, std::span<const LaunchBond> bonds,
                    ProcessLabels& labels) {
  const auto lend = [&](std::size_t from, std::size_t to) {
    if (!labels[from] || labels[to]) return;
    labels[to] =
        RankLabel{labels[from]->text, labels[from]->number, std::string(processes[to].pid)};
  };
  for (const LaunchBond& bond : bonds) {
    lend(bond.host, bond.device);
    lend(bond.device, bond.host);
  }
}

}  // namespace lockstep::formats::chrome_json
