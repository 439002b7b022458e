// The ways in which tools keep ranks apart, one after the other.
#include "formats/chrome_json/ranks/rank_plan.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/chrome_json/ranks/added_constant.h"
#include "formats/chrome_json/ranks/labelled_plan.h"
#include "formats/chrome_json/ranks/moved_numbers.h"

namespace lockstep::formats::chrome_json {
namespace {

using LabelOf = std::optional<RankLabel> (*)(std::string_view pid);
constexpr std::array<LabelOf, 3> kLabelsInIds = {rank_bracket, rank_word, short_rank};

RankPlan plan_by_ids(std::span<const ProcessFacts> processes, LabelOf label_of) {
  ProcessLabels labels;
  for (const ProcessFacts& process : processes) {
    labels.push_back(label_of(process.pid));
    if (!labels.back() && must_have_label(process)) return {};
  }
  return plan_of(processes, labels);
}

// Ids of two numbers, one of which is the rank: the one that makes ranks that are alike, with
// devices that keep their numbers.
RankPlan plan_by_pairs(std::span<const ProcessFacts> processes) {
  std::array<ProcessLabels, 2> labels;
  std::array<bool, 2> may_be = {true, true};
  std::set<char> separators;
  bool has_device = false;
  for (const ProcessFacts& process : processes) {
    for (ProcessLabels& reading : labels) reading.emplace_back();
    const std::optional<PidPair> pair = pid_pair(process.pid);
    if (!pair && must_have_label(process)) return {};
    if (!pair) continue;
    has_device |= process.has_device;
    separators.insert(pair->separator);
    labels[0].back() = numbered(pair->first, pair->second);
    labels[1].back() = numbered(pair->second, pair->first);
    for (std::size_t r = 0; r < 2; ++r) may_be[r] &= labels[r].back()->number.has_value();
  }
  // Threads alone have numbers of all sorts.
  if (!has_device || separators.size() != 1) return {};
  std::vector<RankPlan> plans;
  for (std::size_t r = 0; r < 2; ++r) {
    RankPlan plan = plan_of(processes, labels[r]);
    const bool is_good = may_be[r] && plan.is_merged() && keeps_devices(processes, plan) &&
                         are_ranks_alike(processes, plan);
    if (is_good) plans.push_back(std::move(plan));
  }
  if (plans.empty()) return {};
  const bool is_one = plans.size() == 1 || plans.front().rank_of == plans.back().rank_of;
  return is_one ? plans.front() : unclear_plan();
}

// All that the names of a process say of its rank.
std::set<std::string> ranks_in_names(const ProcessFacts& process, std::optional<RankLabel>& label) {
  std::set<std::string> ranks;
  for (const std::string_view name : process.names) {
    const std::optional<RankLabel> said = rank_word(name);
    if (!said) continue;
    ranks.insert(said->text);
    label = RankLabel{said->text, said->number, std::string(process.pid)};
  }
  if (ranks.size() != 1) label = std::nullopt;
  return ranks;
}

// Whose names tell ranks of devices: a process that loads data for one of them is none. Where
// nobody launched, or not in this file, all of them.
std::vector<bool> working_for_devices(std::span<const ProcessFacts> processes) {
  const bool is_any_launching = std::ranges::any_of(processes, &ProcessFacts::launches);
  std::vector<bool> working;
  for (const ProcessFacts& process : processes) {
    working.push_back(process.has_device ||
                      (is_any_launching ? process.launches : process.has_host));
  }
  return working;
}

// Processes whose ids collide, if only in the metadata of devices that a rank does not use, have
// the names of several ranks; their launches may still tell.
RankPlan plan_by_names(std::span<const ProcessFacts> processes, const BondsOfFile& bonds_of_file) {
  ProcessLabels labels(processes.size());
  const std::vector<bool> is_working = working_for_devices(processes);
  std::set<std::string> ranks;
  bool has_all = true;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const std::set<std::string> said = ranks_in_names(processes[p], labels[p]);
    if (is_working[p]) ranks.insert(said.begin(), said.end());
    has_all &= labels[p].has_value() || !must_have_label(processes[p]);
  }
  if (ranks.size() < 2) return {};
  if (!has_all) {
    const std::vector<LaunchBond> bonds = bonds_of_file();
    label_by_bonds(processes, bonds, labels);
    for (std::size_t p = 0; p < processes.size(); ++p) {
      if (!labels[p] && must_have_label(processes[p])) return unclear_plan();
    }
    const RankPlan plan = plan_of(processes, labels);
    return plan.is_merged() && keeps_bonds(plan, bonds) ? plan : unclear_plan();
  }
  return plan_of(processes, labels);
}

// Every process has threads and streams, which no profiler writes: each is a rank.
RankPlan plan_by_sides(std::span<const ProcessFacts> processes) {
  ProcessLabels labels(processes.size());
  std::set<std::int64_t> numbers;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const auto number = number_of(processes[p].pid);
    if (!number || *number < 0 || !processes[p].has_events()) continue;
    if (!processes[p].has_host || !processes[p].has_device) return {};
    labels[p] = numbered(processes[p].pid, processes[p].pid);
    numbers.insert(*number);
  }
  // Counted from 0 they are the ranks; other numbers say nothing.
  const bool are_ranks = !numbers.empty() && *numbers.rbegin() + 1 == std::ssize(numbers);
  RankPlan plan = plan_of(processes, labels);
  if (!are_ranks) std::ranges::fill(plan.numbers, std::nullopt);
  return plan;
}

// Devices get the numbers that they are known to have. A rank with one of them twice is two.
RankPlan with_devices(std::span<const ProcessFacts> processes, RankPlan plan) {
  std::set<std::pair<std::size_t, std::string>> devices;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    if (!processes[p].has_device) continue;
    if (processes[p].device) plan.own_ids[p] = std::to_string(*processes[p].device);
    if (!devices.emplace(plan.rank_of[p], plan.own_ids[p]).second) return unclear_plan();
  }
  return plan;
}

}  // namespace

RankPlan plan_ranks(std::span<const ProcessFacts> processes, const BondsOfFile& bonds,
                    const RepeatsOfFile& repeats) {
  for (const LabelOf label_of : kLabelsInIds) {
    RankPlan plan = plan_by_ids(processes, label_of);
    if (plan.is_merged()) return with_devices(processes, std::move(plan));
  }
  const std::array<std::function<RankPlan()>, 4> ways = {
      [&] { return plan_by_pairs(processes); },
      [&] { return plan_by_names(processes, bonds); },
      [&] { return plan_by_sides(processes); },
      [&] { return plan_by_own_numbers(processes, bonds); },
  };
  const RankPlan moved = plan_by_constant(processes, repeats);
  bool is_unclear = false;
  for (const auto& way : ways) {
    RankPlan plan = way();
    is_unclear |= plan.is_unclear;
    if (!plan.is_merged()) continue;
    // Names know the number of a rank, and the constant the numbers inside of it.
    if (moved.rank_of == plan.rank_of) plan.own_ids = moved.own_ids;
    return with_devices(processes, std::move(plan));
  }
  if (moved.is_merged() && keeps_devices(processes, moved) && keeps_bonds(moved, bonds())) {
    return moved;
  }
  return is_unclear ? unclear_plan() : RankPlan{};
}

}  // namespace lockstep::formats::chrome_json
