// Ranks of merged files by labels, names, sides and constants.
#include "formats/chrome_json/ranks/rank_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProcessFacts host(std::string_view pid, std::vector<std::string_view> names = {}) {
  return {.pid = pid, .names = std::move(names), .has_host = true};
}
ProcessFacts device(std::string_view pid, std::vector<std::string_view> names = {}) {
  return {.pid = pid, .names = std::move(names), .has_device = true};
}
// With the numbers that they had.
ProcessFacts known_host(std::string_view pid, std::int64_t own) {
  return {.pid = pid, .has_host = true, .process = own};
}
ProcessFacts known_device(std::string_view pid, std::int64_t own) {
  return {.pid = pid, .has_device = true, .device = own};
}

RankPlan plan_of_processes(const std::vector<ProcessFacts>& processes,
                           const std::vector<LaunchBond>& bonds = {},
                           const std::vector<std::size_t>& repeating = {}) {
  return plan_ranks(processes, [&] { return bonds; }, [&] { return repeating; });
}

TEST(RankPlan, AConstantBeyondAllProcessesPartsThem) {
  const RankPlan plan = plan_of_processes(
      {host("4711"), device("0"), host("100004712"), device("100000001"), host("Spans")});
  EXPECT_THAT(plan.numbers, ElementsAre(0, 1));
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(plan.own_ids, ElementsAre("4711", "0", "4712", "1", "Spans"));
}

TEST(RankPlan, ASmallConstantPartsWholeRanksOnly) {
  const std::vector whole = {host("500"), device("0"), host("1501"), device("1000")};
  EXPECT_THAT(plan_of_processes(whole).rank_of, ElementsAre(0, 0, 1, 1));
  // The process numbers are larger than the constant: they may be of any rank.
  const std::vector torn = {host("40257"), device("0"), host("41258"), device("1000")};
  EXPECT_THAT(plan_of_processes(torn).numbers, IsEmpty());
}

TEST(RankPlan, SeveralProcessesAndDevicesAreOneRank) {
  const std::vector processes = {host("1200"), host("2300"), device("0"), device("1")};
  EXPECT_FALSE(plan_of_processes(processes).is_merged());
  EXPECT_FALSE(plan_of_processes({host("1000"), host("2000")}).is_merged());
  EXPECT_FALSE(plan_of_processes({host("4194303"), device("7")}).is_merged());
  EXPECT_FALSE(plan_of_processes({}).is_merged());
}

TEST(RankPlan, DevicesAloneAreParted) {
  const RankPlan plan =
      plan_of_processes({device("0"), device("1"), device("10000000000"), device("10000000001")});
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(plan.own_ids, ElementsAre("0", "1", "0", "1"));
}

TEST(RankPlan, DevicesAloneOfWhichTheFirstIsMovedTooAreOneRank) {
  EXPECT_FALSE(plan_of_processes({device("16777216"), device("33554432")}).is_merged());
}

TEST(RankPlan, LargeDeviceIdsOfOneProcessAreOneRank) {
  for (const auto& [first, second] : {std::pair("16777216", "33554432"), {"0", "100000000"}}) {
    const std::vector processes = {host("4711"), device(first), device(second)};
    EXPECT_FALSE(plan_of_processes(processes).is_merged()) << first;
    EXPECT_FALSE(plan_of_processes(processes).is_unclear) << first;
    EXPECT_FALSE(plan_of_processes(processes, {{0, 1}, {0, 2}}).is_merged()) << first;
  }
}

TEST(RankPlan, DevicesThatMovedWithoutTheirProcessesAreToldByLaunchesOnly) {
  const std::vector processes = {host("4000"), host("4038"), known_device("0", 0),
                                 known_device("100000001", 1)};
  EXPECT_TRUE(plan_of_processes(processes).is_unclear);
  EXPECT_THAT(plan_of_processes(processes, {{0, 2}, {1, 3}}).rank_of, ElementsAre(0, 1, 0, 1));
  const std::vector bare = {host("4000"), host("4038"), device("0"), device("100000001")};
  EXPECT_FALSE(plan_of_processes(bare).is_merged());
}

TEST(RankPlan, AConstantDoesNotPartADeviceFromTheProcessThatLaunchedOnIt) {
  const std::vector processes = {host("4711"), device("0"), host("100004712"), device("100000001")};
  EXPECT_TRUE(plan_of_processes(processes, {{0, 1}, {2, 3}}).is_merged());
  EXPECT_FALSE(plan_of_processes(processes, {{0, 3}, {2, 1}}).is_merged());
  const std::vector close = {host("500"), device("0"), host("1501"), device("1000")};
  EXPECT_FALSE(plan_of_processes(close, {{0, 3}}).is_merged());
}

TEST(RankPlan, LargeNumbersOfThreadsAloneAreNoRanks) {
  for (const auto& [first, second] :
       {std::pair("12345678", "23456789"), {"1073741924", "100"}, {"100", "10000100"}}) {
    EXPECT_FALSE(plan_of_processes({host(first), host(second)}).is_merged()) << first;
  }
}

TEST(RankPlan, ThreadsThatDidTheSameWorkAreParted) {
  const std::vector processes = {host("12345678"), host("1073741924"), host("12345679")};
  const RankPlan plan = plan_of_processes(processes, {}, {0, 1});
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 1, 0));
  // Such numbers are none of ranks.
  EXPECT_THAT(plan.numbers, ElementsAre(std::nullopt, std::nullopt));
  EXPECT_FALSE(plan_of_processes(processes, {}, {0, 2}).is_merged());
  const std::vector counted = {host("4711"), host("100004712")};
  EXPECT_THAT(plan_of_processes(counted, {}, {0, 1}).numbers, ElementsAre(0, 1));
}

TEST(RankPlan, ThreadsAloneThatAreCountedWithoutAGapAreParted) {
  const std::vector counted = {host("4711"), host("100004712"), host("200004712")};
  EXPECT_THAT(plan_of_processes(counted).numbers, ElementsAre(0, 1, 2));
  const std::vector gaps = {host("4711"), host("100004712"), host("300004712")};
  EXPECT_FALSE(plan_of_processes(gaps).is_merged());
}

TEST(RankPlan, LabelsInProcessIdsPart) {
  const RankPlan brackets = plan_of_processes(
      {host("[TP10] 7"), device("[TP10] 1"), host("[TP09] 6"), device("[TP09] 0")});
  EXPECT_THAT(brackets.numbers, ElementsAre(9, 10));
  EXPECT_THAT(brackets.own_ids, ElementsAre("7", "1", "6", "0"));
  const RankPlan prefixes =
      plan_of_processes({host("rank0_7"), device("rank0_0"), host("rank1_pid7")});
  EXPECT_THAT(prefixes.rank_of, ElementsAre(0, 0, 1));
  EXPECT_THAT(prefixes.own_ids, ElementsAre("7", "0", "7"));
  const RankPlan suffixes =
      plan_of_processes({host("7_0"), device("0_0"), host("Spans_1"), device("0_1")});
  EXPECT_THAT(suffixes.rank_of, ElementsAre(0, 0, 1, 1));
}

TEST(RankPlan, SeveralSortsOfParallelismGiveNoNumber) {
  const RankPlan plan = plan_of_processes({device("[TP00-DP00] 0"), device("[TP01-DP00] 1")});
  EXPECT_THAT(plan.numbers, ElementsAre(std::nullopt, std::nullopt));
}

TEST(RankPlan, NamesThatSomebodyGaveAreNoRanks) {
  EXPECT_FALSE(plan_of_processes({device("GPU_0"), device("GPU_1")}).is_merged());
  EXPECT_FALSE(plan_of_processes({device("0", {"franking 1"}), device("1", {"2"})}).is_merged());
  // Only some processes say it.
  EXPECT_FALSE(
      plan_of_processes({host("1", {"rank 0"}), host("2", {"rank 1"}), device("0")}).is_merged());
}

TEST(RankPlan, NamesOfProcessesGiveTheNumbers) {
  const RankPlan plan =
      plan_of_processes({host("4711", {"RANK 4 - CPU"}), device("0", {"RANK 4 - GPU"}),
                         host("100004711", {"RANK 6 - CPU"}), device("100000000", {"RANK 6"})});
  EXPECT_THAT(plan.numbers, ElementsAre(4, 6));
  EXPECT_THAT(plan.own_ids, ElementsAre("4711", "0", "4711", "0"));
}

TEST(RankPlan, ProcessesWithThreadsAndStreamsAreARankEach) {
  const ProcessFacts zero{.pid = "0", .has_host = true, .has_device = true};
  const ProcessFacts one{.pid = "1", .has_host = true, .has_device = true};
  const ProcessFacts five{.pid = "5", .has_host = true, .has_device = true};
  EXPECT_THAT(plan_of_processes({one, zero}).numbers, ElementsAre(0, 1));
  EXPECT_THAT(plan_of_processes({one, zero}).rank_of, ElementsAre(1, 0));
  EXPECT_THAT(plan_of_processes({zero, five}).numbers, ElementsAre(std::nullopt, std::nullopt));
  EXPECT_FALSE(plan_of_processes({zero}).is_merged());
  EXPECT_FALSE(plan_of_processes({zero, one, host("4711")}).is_merged());
}

TEST(RankPlan, OfTwoNumbersInAnIdTheOneIsTheRankThatMakesRanksAlike) {
  const RankPlan prefixes = plan_of_processes(
      {host("0:4711"), device("0:0"), host("1:4712"), device("1:1"), host("0:-1"), host("Spans")});
  EXPECT_THAT(prefixes.rank_of, ElementsAre(0, 0, 1, 1, 0, 0));
  EXPECT_THAT(prefixes.own_ids, ElementsAre("4711", "0", "4712", "1", "-1", "Spans"));
  const RankPlan suffixes =
      plan_of_processes({host("4711-0"), device("0-0"), host("4712-1"), device("1-1")});
  EXPECT_THAT(suffixes.rank_of, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(suffixes.numbers, ElementsAre(0, 1));
}

TEST(RankPlan, TwoNumbersInAnIdThatFitBothWaysAreUnclear) {
  const std::vector devices = {device("0_0"), device("0_1"), device("1_0"), device("1_1")};
  EXPECT_TRUE(plan_of_processes(devices).is_unclear);
  // Unless the devices say their numbers.
  const RankPlan known = plan_of_processes({known_device("0_0", 0), known_device("0_1", 1),
                                            known_device("1_0", 0), known_device("1_1", 1)});
  EXPECT_THAT(known.rank_of, ElementsAre(0, 0, 1, 1));
  // Two devices of one rank, and threads that have numbers of all sorts.
  EXPECT_FALSE(plan_of_processes({known_device("0_0", 0), known_device("0_1", 1)}).is_merged());
  EXPECT_FALSE(plan_of_processes({host("1:100"), host("1:101"), host("2:100")}).is_merged());
}

TEST(RankPlan, OtherSpellingsOfARankInAnId) {
  for (const std::vector<std::string_view>& pids : std::vector<std::vector<std::string_view>>{
           {"[rank0]7", "[rank0]0", "[rank1]8", "[rank1]1"},
           {"7 (rank 0)", "0 (rank 0)", "8 (rank 1)", "1 (rank 1)"},
           {"Rank0/7", "Rank0/0", "Rank1/8", "Rank1/1"},
           {"r0_7", "r0_0", "r1_8", "r1_1"},
           {"7-R0", "0-R0", "8-R1", "1-R1"}}) {
    const RankPlan plan =
        plan_of_processes({host(pids[0]), device(pids[1]), host(pids[2]), device(pids[3])});
    EXPECT_THAT(plan.numbers, ElementsAre(0, 1)) << pids[0];
    EXPECT_THAT(plan.own_ids, ElementsAre("7", "0", "8", "1")) << pids[0];
  }
}

TEST(RankPlan, RanksOfNodesThatCountFromZeroAreApart) {
  const RankPlan plan = plan_of_processes(
      {host("1", {"node 0 rank 0"}), host("2", {"node 0 rank 1"}), host("3", {"node 1 rank 0"})});
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 1, 2));
  EXPECT_THAT(plan.numbers, ElementsAre(std::nullopt, std::nullopt, std::nullopt));
  // One device twice in a rank: two ranks have its name.
  EXPECT_TRUE(plan_of_processes({known_device("0", 0), known_device("1000", 0)}).is_merged());
  ProcessFacts first = known_device("0", 0);
  ProcessFacts again = known_device("1000", 0);
  ProcessFacts other = known_device("2000", 0);
  first.names = again.names = {"local rank 0"};
  other.names = {"local rank 1"};
  EXPECT_TRUE(plan_of_processes({first, again, other}).is_unclear);
}

TEST(RankPlan, AProcessWithTheNamesOfTwoRanksIsOfThatWhichLaunchesOnIt) {
  const std::vector processes = {host("4711", {"rank 0"}), host("4712", {"rank 1"}),
                                 device("0", {"rank 0", "rank 1"}),
                                 device("1", {"rank 0", "rank 1"})};
  EXPECT_TRUE(plan_of_processes(processes).is_unclear);
  EXPECT_THAT(plan_of_processes(processes, {{1, 2}, {0, 3}}).rank_of, ElementsAre(0, 1, 1, 0));
  EXPECT_TRUE(plan_of_processes(processes, {{1, 2}}).is_unclear);
}

TEST(RankPlan, AConstantBelowTheProcessNumbersIsToldByTheNumbersThatTheyHad) {
  const RankPlan plan =
      plan_of_processes({known_host("40257", 40257), known_device("0", 0),
                         known_host("31258", 30258), known_device("1001", 1), host("999")});
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 0, 1, 1, 1));
  EXPECT_THAT(plan.own_ids, ElementsAre("40257", "0", "30258", "1", "-1"));
  EXPECT_THAT(plan.numbers, ElementsAre(0, 1));
}

TEST(RankPlan, AConstantBelowTheProcessNumbersIsToldByLaunches) {
  const std::vector processes = {host("40257"), known_device("0", 0), host("31258"),
                                 known_device("1001", 1)};
  EXPECT_TRUE(plan_of_processes(processes).is_unclear);
  EXPECT_THAT(plan_of_processes(processes, {{0, 3}, {2, 1}}).rank_of, ElementsAre(1, 0, 0, 1));
}

TEST(RankPlan, EvidenceThatDoesNotFitTogetherIsUnclear) {
  // The place says rank 1, the launches say rank 0.
  const std::vector processes = {known_host("40257", 40257), known_device("0", 0),
                                 known_host("41258", 40258), known_device("1000", 0)};
  EXPECT_TRUE(plan_of_processes(processes, {{2, 1}, {0, 3}}).is_unclear);
  // A process that nothing tells.
  EXPECT_TRUE(plan_of_processes({known_host("40257", 40257), known_device("0", 0), host("50000"),
                                 known_host("41258", 40258), known_device("1000", 0)})
                  .is_unclear);
}

TEST(RankPlan, NumbersThatTakeTurnsAreToldByThoseThatTheyHad) {
  const RankPlan plan = plan_of_processes({known_host("9422", 4711), known_device("0", 0),
                                           known_device("2", 1), known_host("9425", 4712),
                                           known_device("1", 0), known_device("3", 1), host("-2")});
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 0, 0, 1, 1, 1, 0));
  EXPECT_THAT(plan.numbers, ElementsAre(0, 1));
}

TEST(RankPlan, NumbersThatNobodyMovedAreOneRank) {
  const std::vector processes = {known_host("1200", 1200), known_host("4002300", 4002300),
                                 known_device("0", 0), known_device("1", 1), host("-1")};
  const RankPlan plan = plan_of_processes(processes, {{0, 2}, {1, 3}});
  EXPECT_FALSE(plan.is_merged());
  EXPECT_FALSE(plan.is_unclear);
}

TEST(RankPlan, NamesOfProcessesThatNeitherLaunchNorHaveADeviceAreNoRanks) {
  ProcessFacts main = host("4000", {"python"});
  main.launches = true;
  const RankPlan plan = plan_of_processes({main, device("0"), host("5000", {"dataloader rank 0"}),
                                           host("5001", {"dataloader rank 1"})});
  EXPECT_FALSE(plan.is_merged());
  EXPECT_FALSE(plan.is_unclear);
  // Beside names of those that do, they tell where the process belongs.
  ProcessFacts first = host("4000", {"rank 0"});
  ProcessFacts second = host("4001", {"rank 1"});
  first.launches = second.launches = true;
  const std::vector named = {first, second, host("5000", {"dataloader rank 1"})};
  EXPECT_THAT(plan_of_processes(named).rank_of, ElementsAre(0, 1, 1));
}

TEST(RankPlan, RanksThatMayBeOthersHaveNoNumbers) {
  // Ranks 0, 5 and 10 moved by 1,000,000, or 0, 1 and 2 moved by 5,000,000.
  EXPECT_THAT(plan_of_processes({host("500"), device("0"), host("5000500"), device("5000000"),
                                 host("10000500"), device("10000000")})
                  .numbers,
              ElementsAre(std::nullopt, std::nullopt, std::nullopt));
  // Ranks 0 and 8 moved by 1000, or 0 and 1 moved by 8000.
  const RankPlan plan = plan_of_processes({known_host("40257", 40257), known_device("0", 0),
                                           known_host("48258", 40258), known_device("8000", 0)});
  EXPECT_THAT(plan.numbers, ElementsAre(std::nullopt, std::nullopt));
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
