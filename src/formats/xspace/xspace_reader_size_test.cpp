// What a file may cost: kept in proportion to its bytes, and every part of many found.
#include <algorithm>

#include <gtest/gtest.h>

#include "formats/xspace/read/space_index.h"
#include "formats/xspace/xspace_for_test.h"

namespace lockstep::formats::xspace {
namespace {

// References of a few bytes to long texts: what is kept stays in proportion to the file.
std::string long_word() { return std::string(100'000, 'w'); }

std::size_t metadata_bytes(const trace::Trace& trace) {
  std::size_t bytes = 0;
  for (const trace::Rank& rank : trace.ranks) {
    for (const trace::Metadata& entry : rank.metadata)
      bytes += entry.key.size() + entry.json.size();
  }
  return bytes;
}

TEST(XSpaceReaderSize, SumsWithLongNamesAreCountedRatherThanKept) {
  std::string sums;
  for (int i = 0; i < 2'000; ++i) sums += aggregate(1, 12, 3400);
  const std::string space =
      plane("/device:GPU:0", {field(3, field(2, "XLA Ops") + sums), event_name(1, long_word())});
  const Reading read = read_space(space);
  EXPECT_EQ(read.count_of("aggregated_event"), 2'000);
  EXPECT_GT(read.count_of("repeated_text"), 1'900);
  EXPECT_LT(metadata_bytes(read.trace), 2U << 20);
  const auto& parts = read.trace.ranks.at(0).parts;
  EXPECT_TRUE(std::ranges::any_of(parts, [](const trace::SourcePart& part) {
    return part.name == "aggregated events" && part.records == 2'000 &&
           part.note.ends_with("are kept in the metadata");
  }));
}

TEST(XSpaceReaderSize, FactsThatReferToLongTextsAreCountedRatherThanKept) {
  std::string facts;
  for (int i = 0; i < 2'000; ++i) facts += plane_stat(reference_stat(1, 2));
  const std::string names = stat_name(2, long_word());
  for (const std::string& space :
       {plane("/host:CPU", {stat_name(1, "fact"), names, facts}),
        plane("/lockstep:rank:0", {stat_name(1, "metadata:fact"), names, facts})}) {
    const Reading read = read_space(space);
    EXPECT_TRUE(read.status.ok());
    EXPECT_GT(read.count_of("repeated_text"), 1'900);
    EXPECT_LT(metadata_bytes(read.trace), 2U << 20);
  }
}

TEST(XSpaceReaderSize, NamesOfStepsAreNotLongerThanAnyoneWrites) {
  const std::string space =
      plane("/host:CPU", {line(1, "t", 0, {event(1, 0, 5, {signed_stat(1, 7)})}),
                          event_name(1, long_word()), stat_name(1, "step_num")});
  const trace::Trace trace = read_space(space).trace;
  ASSERT_EQ(trace.steps.size(), 1);
  EXPECT_EQ(trace.text(trace.steps[0].name), std::string(1024, 'w') + "#7");
}

TEST(XSpaceReaderSize, EventsDoNotInheritStatsWithoutEnd) {
  std::string value = number_field(1, 1) + field(2, "op");
  for (int i = 0; i < 10'000; ++i) value += field(5, signed_stat(1, i));
  const std::string space =
      plane("/host:CPU", {line(1, "t", 0, {event(1, 0, 5)}), stat_name(1, "fact"),
                          field(4, number_field(1, 1) + field(2, value))});
  const Reading read = read_space(space);
  EXPECT_EQ(arguments_of(read.trace, 0).size(), 256);
  EXPECT_EQ(read.count_of("repeated_text"), 10'000 - 256);
}

TEST(XSpaceReaderSize, EveryLineOfOperationsGivesItsCollective) {
  constexpr int kLines = 1'000;
  std::string lines;
  const std::string one = line(1, "XLA Ops", 0, {event(1, 0, 5)});
  for (int i = 0; i < kLines; ++i) lines += one;
  const std::string space = plane("/device:TPU:0", {lines, event_name(1, "all-reduce.1")});
  EXPECT_EQ(read_space(space).trace.collectives.size(), kLines);
}

TEST(XSpaceReaderSize, EveryRankOfManyFindsItsPlane) {
  constexpr int kRanks = 1'000;
  std::string space;
  for (int i = 0; i < kRanks; ++i) {
    space +=
        plane("/lockstep:rank:0", {stat_name(1, "lockstep_rank"), plane_stat(signed_stat(1, i))});
  }
  EXPECT_EQ(read_space(space).trace.ranks.size(), kRanks);
}

TEST(XSpaceReaderSize, PlanesWithoutAnythingAreNotKept) {
  std::string space = plane("/device:GPU:0", {field(3, field(2, "Stream #1(Compute)"))});
  for (int i = 0; i < 100'000; ++i) space += field(1, "");
  EXPECT_EQ(SpaceIndex(space).planes().size(), 1U);
}

}  // namespace
}  // namespace lockstep::formats::xspace
