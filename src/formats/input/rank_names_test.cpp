// Ranks from the names of inputs.
#include "formats/input/rank_names.h"

#include <gtest/gtest.h>

namespace lockstep::formats::input {
namespace {

std::vector<trace::Rank> ranks_of(std::initializer_list<const char*> sources) {
  std::vector<trace::Rank> ranks;
  for (const char* source : sources) ranks.emplace_back().source = source;
  number_ranks_by_name(ranks);
  return ranks;
}

std::optional<std::int64_t> rank_of(const char* source) { return ranks_of({source})[0].number; }

TEST(RankNames, TheWordRankBeforeDigits) {
  EXPECT_EQ(rank_of("rank3.json"), 3);
  EXPECT_EQ(rank_of("run/trace_rank-12.json.gz"), 12);
  EXPECT_EQ(rank_of("RANK_7_of_8.json"), 7);
  EXPECT_EQ(rank_of("rank_4/trace.json"), 4);
  EXPECT_EQ(rank_of("dp0_pp0_tp1_ep0_rank5_ascend_pt"), 5);
  EXPECT_EQ(rank_of("rank_4/rank5.json"), 5) << "the file before its folder";
}

TEST(RankNames, OtherNumbersOfOneInputAreNoRanks) {
  EXPECT_EQ(rank_of("trace_3.json"), std::nullopt);
  EXPECT_EQ(rank_of("rank.json"), std::nullopt);
  EXPECT_EQ(rank_of("rank20260101120000.json"), std::nullopt) << "a time";
  EXPECT_EQ(rank_of("-"), std::nullopt);
  EXPECT_EQ(rank_of(""), std::nullopt);
}

TEST(RankNames, NamesThatDifferInOneNumber) {
  const auto ranks = ranks_of({"a/host1_0.json", "a/host1_1.json", "a/host1_10.json"});
  EXPECT_EQ(ranks[0].number, 0);
  EXPECT_EQ(ranks[1].number, 1);
  EXPECT_EQ(ranks[2].number, 10);
  EXPECT_EQ(ranks[2].number_from, trace::RankEvidence::kName);
}

TEST(RankNames, NamesThatDifferInMoreAreNoRanks) {
  EXPECT_EQ(ranks_of({"host1_0.json", "host2_1.json"})[0].number, std::nullopt);
  EXPECT_EQ(ranks_of({"a_0.json", "b_1.json"})[0].number, std::nullopt);
  EXPECT_EQ(ranks_of({"a_00.json", "a_0.json"})[0].number, std::nullopt) << "the same number";
  EXPECT_EQ(ranks_of({"a_1700000000.json", "a_1700000001.json"})[0].number, std::nullopt);
}

TEST(RankNames, NumbersThatBelongToAWordAreNoRanks) {
  EXPECT_EQ(ranks_of({"llama7b.json", "llama70b.json"})[0].number, std::nullopt);
  EXPECT_EQ(ranks_of({"llama2.json", "llama3.json"})[0].number, std::nullopt);
  EXPECT_EQ(ranks_of({"Worker0.json", "Worker1.json"})[1].number, 1);
  EXPECT_EQ(ranks_of({"a/0.json", "a/1.json"})[1].number, 1);
}

TEST(RankNames, WhatTheFileSaysStays) {
  std::vector<trace::Rank> ranks(1);
  ranks[0].source = "rank3.json";
  ranks[0].number = 5;
  ranks[0].number_from = trace::RankEvidence::kMetadata;
  number_ranks_by_name(ranks);
  EXPECT_EQ(ranks[0].number, 5);
  EXPECT_EQ(ranks[0].number_from, trace::RankEvidence::kMetadata);
}

}  // namespace
}  // namespace lockstep::formats::input
