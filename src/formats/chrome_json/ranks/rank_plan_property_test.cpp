// Any ranks, merged in any way that is known: they are told apart as they were, or not at all.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "formats/chrome_json/ranks/rank_plan.h"

namespace lockstep::formats::chrome_json {
namespace {

struct OwnProcess {
  std::int64_t number = 0;
  bool is_device = false;
  bool launches = false;  // the one that launches the work of its rank
};
using OwnRank = std::vector<OwnProcess>;

// What the tool that merged them left.
struct Left {
  bool has_device_numbers = false;
  enum class Places { kNone, kOwn, kMoved, kRanks } places = Places::kNone;
  bool has_bonds = false;
};

struct Merge {
  std::int64_t constant = 0;  // 0: numbers take turns
  std::int64_t ranks = 1;
  bool moves_devices_only = false;

  [[nodiscard]] std::int64_t pid(std::int64_t own, std::int64_t rank, bool is_device) const {
    if (moves_devices_only && !is_device) return own;
    return constant == 0 ? own * ranks + rank : own + rank * constant;
  }
};

// A process of the merged file: of one rank, unless ids collide.
struct MergedProcess {
  std::string pid;
  std::set<std::size_t> ranks;
  bool is_nobodys = false;
  ProcessFacts facts;
  std::set<std::int64_t> devices;
  std::set<std::int64_t> places;
};

class MergedFile {
 public:
  MergedFile(const std::vector<OwnRank>& ranks, const Merge& merge, const Left& left) {
    for (std::size_t r = 0; r < ranks.size(); ++r) add_rank(ranks[r], r, merge, left);
    for (MergedProcess& process : processes_) {
      process.facts.pid = process.pid;
      if (process.devices.size() == 1) process.facts.device = *process.devices.begin();
      if (process.places.size() == 1) process.facts.process = *process.places.begin();
    }
  }

  [[nodiscard]] RankPlan plan() const {
    std::vector<ProcessFacts> facts;
    for (const MergedProcess& process : processes_) facts.push_back(process.facts);
    // Nothing but ids tells threads without devices.
    return plan_ranks(facts, [&] { return bonds_; }, [] { return std::vector<std::size_t>{}; });
  }
  [[nodiscard]] bool collides() const {
    return std::ranges::any_of(processes_, [](auto& one) { return one.ranks.size() > 1; });
  }
  [[nodiscard]] const std::vector<MergedProcess>& processes() const { return processes_; }

 private:
  void add_rank(const OwnRank& rank, std::size_t number, const Merge& merge, const Left& left) {
    std::vector<std::size_t> devices;
    std::size_t launching = 0;
    for (const OwnProcess& own : rank) {
      const std::int64_t pid =
          merge.pid(own.number, static_cast<std::int64_t>(number), own.is_device);
      const auto [place, is_new] = by_pid_.try_emplace(pid, processes_.size());
      if (is_new) processes_.emplace_back().pid = std::to_string(pid);
      MergedProcess& merged = processes_[place->second];
      // What no thread did is no loss where it lies on another's device.
      if (own.number >= 0 || is_new) merged.ranks.insert(number);
      if (own.number >= 0 && merged.is_nobodys) merged.ranks = {number};
      merged.is_nobodys = own.number < 0 && is_new;
      (own.is_device ? merged.facts.has_device : merged.facts.has_host) = true;
      if (own.is_device && left.has_device_numbers) merged.devices.insert(own.number);
      if (!own.is_device && own.number >= 0) add_place(own, pid, number, left, merged);
      if (own.is_device) devices.push_back(place->second);
      if (own.launches) launching = place->second;
    }
    if (!left.has_bonds) return;
    for (const std::size_t device : devices) bonds_.push_back({launching, device});
  }

  static void add_place(const OwnProcess& own, std::int64_t pid, std::size_t rank, const Left& left,
                        MergedProcess& merged) {
    if (left.places == Left::Places::kOwn) merged.places.insert(own.number);
    if (left.places == Left::Places::kMoved) merged.places.insert(pid);
    if (left.places == Left::Places::kRanks) merged.places.insert(static_cast<std::int64_t>(rank));
  }

  std::map<std::int64_t, std::size_t> by_pid_;
  std::vector<MergedProcess> processes_;
  std::vector<LaunchBond> bonds_;
};

OwnRank any_rank() {
  std::set<std::int64_t> numbers;
  OwnRank rank;
  const auto add = [&](std::int64_t number, bool is_device, bool launches) {
    if (numbers.insert(number).second) rank.push_back({number, is_device, launches});
  };
  const auto near = *rc::gen::inRange<std::int64_t>(10, 4'194'304);
  const int devices = *rc::gen::inRange(1, 3);
  for (int d = 0; d < devices; ++d) add(*rc::gen::inRange<std::int64_t>(0, 8), true, false);
  add(near, false, true);
  if (*rc::gen::inRange(0, 3) == 0) add(near + *rc::gen::inRange(1, 5000), false, false);
  if (*rc::gen::inRange(0, 3) == 0) add(-1, false, false);
  return rank;
}

Merge any_merge(std::size_t ranks) {
  const auto any = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000);
  const auto constant = *rc::gen::element<std::int64_t>(0, 1, 10, 1000, 10'000, 100'000, 1'000'000,
                                                        10'000'000, 100'000'000, 65'536, any);
  // By less than the numbers of processes these would look as if they had been moved.
  const bool moves_devices_only = *rc::gen::inRange(0, 4) == 0 && constant >= 10'000'000;
  return {constant, static_cast<std::int64_t>(ranks), moves_devices_only};
}

RC_GTEST_PROP(RankPlanProperty, RanksAreToldApartAsTheyWereOrNotAtAll, ()) {
  std::vector<OwnRank> ranks;
  const int count = *rc::gen::inRange(1, 9);
  for (int r = 0; r < count; ++r) ranks.push_back(any_rank());
  const Merge merge = any_merge(ranks.size());
  const Left left{*rc::gen::arbitrary<bool>(),
                  *rc::gen::element(Left::Places::kNone, Left::Places::kOwn, Left::Places::kMoved,
                                    Left::Places::kRanks),
                  *rc::gen::arbitrary<bool>()};
  const MergedFile file(ranks, merge, left);
  const RankPlan plan = file.plan();
  RC_CLASSIFY(plan.is_merged(), "told apart");
  RC_CLASSIFY(plan.is_unclear, "unclear");
  if (ranks.size() == 1) RC_ASSERT(!plan.is_merged() && !plan.is_unclear);
  if (!plan.is_merged()) return;
  RC_ASSERT(!file.collides());
  RC_ASSERT(plan.numbers.size() == ranks.size());
  for (std::size_t p = 0; p < file.processes().size(); ++p) {
    const MergedProcess& process = file.processes()[p];
    if (process.pid.starts_with('-')) continue;  // what no thread did goes to the first
    RC_ASSERT(plan.rank_of[p] == *process.ranks.begin());
    const auto number = plan.numbers[plan.rank_of[p]];
    if (number) RC_ASSERT(*number == static_cast<std::int64_t>(*process.ranks.begin()));
  }
}

RC_GTEST_PROP(RankPlanProperty, AFileThatNobodyMergedIsOneRankWhateverItsIds, ()) {
  const std::int64_t largest =
      *rc::gen::element<std::int64_t>(4'194'304, INT32_MAX, INT64_MAX / 16);
  OwnRank rank = {{*rc::gen::inRange<std::int64_t>(10, largest), false, true}};
  std::set<std::int64_t> numbers = {rank.front().number};
  const int devices = *rc::gen::inRange(0, 6);
  for (int d = 0; d < devices; ++d) {
    const std::int64_t number = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(0, 8),
                                                rc::gen::inRange<std::int64_t>(0, largest));
    if (numbers.insert(number).second) rank.push_back({number, true, false});
  }
  const Left left{*rc::gen::arbitrary<bool>(), Left::Places::kOwn, *rc::gen::arbitrary<bool>()};
  const RankPlan plan = MergedFile({rank}, Merge{1, 1}, left).plan();
  RC_ASSERT(!plan.is_merged() && !plan.is_unclear);
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
