// Ranks of merged files by labels, names, sides and constants.
#include "formats/chrome_json/map/rank_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::chrome_json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ProcessFacts host(std::string_view pid, std::string_view name = {}) {
  return {pid, name, {}, true, false};
}
ProcessFacts device(std::string_view pid, std::string_view name = {}) {
  return {pid, name, {}, false, true};
}

TEST(RankPlan, AConstantBeyondAllProcessesPartsThem) {
  const RankPlan plan = plan_ranks(std::vector{host("4711"), device("0"), host("100004712"),
                                               device("100000001"), host("Spans")});
  EXPECT_THAT(plan.numbers, ElementsAre(0, 1));
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(plan.own_ids, ElementsAre("4711", "0", "4712", "1", "Spans"));
}

TEST(RankPlan, ASmallConstantPartsWholeRanksOnly) {
  const std::vector whole = {host("500"), device("0"), host("1501"), device("1000")};
  EXPECT_THAT(plan_ranks(whole).rank_of, ElementsAre(0, 0, 1, 1));
  // The process numbers are larger than the constant: they may be of any rank.
  const std::vector torn = {host("40257"), device("0"), host("41258"), device("1000")};
  EXPECT_THAT(plan_ranks(torn).numbers, IsEmpty());
}

TEST(RankPlan, SeveralProcessesAndDevicesAreOneRank) {
  const std::vector processes = {host("1200"), host("2300"), device("0"), device("1")};
  EXPECT_FALSE(plan_ranks(processes).is_merged());
  EXPECT_FALSE(plan_ranks(std::vector{host("1000"), host("2000")}).is_merged());
  EXPECT_FALSE(plan_ranks(std::vector{host("4194303"), device("7")}).is_merged());
  EXPECT_FALSE(plan_ranks({}).is_merged());
}

TEST(RankPlan, DevicesAloneAreParted) {
  const RankPlan plan = plan_ranks(
      std::vector{device("0"), device("1"), device("10000000000"), device("10000000001")});
  EXPECT_THAT(plan.rank_of, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(plan.own_ids, ElementsAre("0", "1", "0", "1"));
}

TEST(RankPlan, LabelsInProcessIdsPart) {
  const RankPlan brackets = plan_ranks(
      std::vector{host("[TP10] 7"), device("[TP10] 1"), host("[TP09] 6"), device("[TP09] 0")});
  EXPECT_THAT(brackets.numbers, ElementsAre(9, 10));
  EXPECT_THAT(brackets.own_ids, ElementsAre("7", "1", "6", "0"));
  const RankPlan prefixes =
      plan_ranks(std::vector{host("rank0_7"), device("rank0_0"), host("rank1_pid7")});
  EXPECT_THAT(prefixes.rank_of, ElementsAre(0, 0, 1));
  EXPECT_THAT(prefixes.own_ids, ElementsAre("7", "0", "7"));
  const RankPlan suffixes =
      plan_ranks(std::vector{host("7_0"), device("0_0"), host("Spans_1"), device("0_1")});
  EXPECT_THAT(suffixes.rank_of, ElementsAre(0, 0, 1, 1));
}

TEST(RankPlan, SeveralSortsOfParallelismGiveNoNumber) {
  const RankPlan plan = plan_ranks(std::vector{device("[TP00-DP00] 0"), device("[TP01-DP00] 1")});
  EXPECT_THAT(plan.numbers, ElementsAre(std::nullopt, std::nullopt));
}

TEST(RankPlan, NamesThatSomebodyGaveAreNoRanks) {
  EXPECT_FALSE(plan_ranks(std::vector{device("GPU_0"), device("GPU_1")}).is_merged());
  EXPECT_FALSE(plan_ranks(std::vector{device("0", "franking 1"), device("1", "2")}).is_merged());
  // Only some processes say it.
  EXPECT_FALSE(
      plan_ranks(std::vector{host("1", "rank 0"), host("2", "rank 1"), device("0")}).is_merged());
}

TEST(RankPlan, NamesOfProcessesGiveTheNumbers) {
  const RankPlan plan =
      plan_ranks(std::vector{host("4711", "RANK 4 - CPU"), device("0", "RANK 4 - GPU"),
                             host("100004711", "RANK 6 - CPU"), device("100000000", "RANK 6")});
  EXPECT_THAT(plan.numbers, ElementsAre(4, 6));
  EXPECT_THAT(plan.own_ids, ElementsAre("4711", "0", "4711", "0"));
}

TEST(RankPlan, ProcessesWithThreadsAndStreamsAreARankEach) {
  const ProcessFacts zero{"0", {}, {}, true, true};
  const ProcessFacts one{"1", {}, {}, true, true};
  const ProcessFacts five{"5", {}, {}, true, true};
  EXPECT_THAT(plan_ranks(std::vector{one, zero}).numbers, ElementsAre(0, 1));
  EXPECT_THAT(plan_ranks(std::vector{one, zero}).rank_of, ElementsAre(1, 0));
  EXPECT_THAT(plan_ranks(std::vector{zero, five}).numbers, ElementsAre(std::nullopt, std::nullopt));
  EXPECT_FALSE(plan_ranks(std::vector{zero}).is_merged());
  EXPECT_FALSE(plan_ranks(std::vector{zero, one, host("4711")}).is_merged());
}

}  // namespace
}  // namespace lockstep::formats::chrome_json
