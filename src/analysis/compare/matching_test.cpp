// Which streams and items go together.
#include "analysis/compare/matching.h"

#include <gtest/gtest.h>

#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

struct Entered {
  TestSide side;
  std::vector<std::vector<KernelClass>> classes;
  std::vector<CompareItem> items;  // of the first stream

  Entered(KernelBook& book, SideBuilder builder) : side(builder.side()) {
    for (const cycles::StreamCycles& stream : side.cycles.streams) {
      classes.push_back(book.enter(side.trace, stream.stream));
    }
    items = compare_items(side.cycles.streams.front(), 0, {}, {});
  }
  [[nodiscard]] StreamItems stream_items() const {
    return {side.cycles.streams.front().stream, classes.front(), items};
  }
};

SideBuilder stream_of(const std::vector<std::pair<std::string_view, std::int64_t>>& kernels) {
  SideBuilder builder;
  for (const auto& [name, duration_ns] : kernels) builder.add({std::string(name), duration_ns});
  return builder;
}

double similarity(const std::vector<std::pair<std::string_view, std::int64_t>>& a,
                  const std::vector<std::pair<std::string_view, std::int64_t>>& b) {
  KernelBook book;
  const Entered left(book, stream_of(a));
  const Entered right(book, stream_of(b));
  return stream_similarity(book, left.side.cycles.streams.front().stream, left.classes.front(),
                           right.side.cycles.streams.front().stream, right.classes.front());
}

TEST(Similarity, OrderPlaysNoPart) {
  EXPECT_DOUBLE_EQ(similarity({{kGemmName, 10}, {kMulName, 30}}, {{kMulName, 30}, {kGemmName, 10}}),
                   1);
}

TEST(Similarity, NameCountsMoreThanSignatureThanRole) {
  const double by_signature =
      similarity({{"triton_poi_fused_mul_silu_8", 10}}, {{"triton_poi_fused_mul_silu_9", 10}});
  const double by_role = similarity({{kGemmName, 10}}, {{kOtherGemmName, 10}});
  EXPECT_LT(by_signature, 1);
  EXPECT_LT(by_role, by_signature);
  EXPECT_GT(by_role, 0);
  EXPECT_EQ(similarity({{kGemmName, 10}}, {{kFlashName, 10}}), 0);
}

TEST(Similarity, UnknownRolesHaveNothingInCommon) {
  EXPECT_EQ(similarity({{"zorp", 10}}, {{"blarg", 10}}), 0);
}

TEST(Similarity, TimeAndCountWeighTheSame) {
  // Three quarters of the time and half of the kernels.
  EXPECT_DOUBLE_EQ(
      similarity({{kGemmName, 30}, {kMulName, 10}}, {{kGemmName, 30}, {kFlashName, 10}}),
      (0.75 + 0.5) / 2);
  // Without time the count is all there is.
  EXPECT_DOUBLE_EQ(similarity({{kGemmName, 0}, {kMulName, 0}}, {{kGemmName, 0}, {kFlashName, 0}}),
                   0.5);
}

// A loop of eight kernels, then a segment.
SideBuilder loop_and_segment(std::string_view in_loop, std::string_view in_segment,
                             std::uint32_t iterations) {
  SideBuilder builder;
  for (std::uint32_t i = 0; i < 8 * iterations; ++i) builder.add({std::string(in_loop)});
  builder.add({std::string(in_segment)});
  builder.loop(cycles::loop_of(0, 8, {cycles::instance_of(0, 8, iterations)}));
  return builder;
}

TEST(MatchItems, MainLoopsPairThoughASegmentIsMoreAlike) {
  KernelBook book;
  const Entered a(book, loop_and_segment(kGemmName, kFlashName, 20));
  const Entered b(book, loop_and_segment(kOtherGemmName, kGemmName, 20));
  const Partners partners = match_items(book, a.stream_items(), b.stream_items(), 0.15);
  ASSERT_EQ(partners.size(), 2U);
  EXPECT_EQ(partners[0], 0U);
  EXPECT_EQ(partners[1], std::nullopt);
}

TEST(MatchStreams, AnyNumberOfStreamsFindThemselves) {
  KernelBook book;
  Entered a(book, stream_of({{kGemmName, 10}, {kMulName, 20}}));
  const cycles::StreamCycles one = a.side.cycles.streams.front();
  for (int i = 1; i < 1000; ++i) {
    cycles::StreamCycles next = one;
    next.stream.stream_id = std::to_string(i);
    a.side.cycles.streams.push_back(next);
    a.classes.push_back(a.classes.front());
  }
  const Partners partners =
      match_streams(book, a.side.cycles.streams, a.classes, a.side.cycles.streams, a.classes);
  for (std::uint32_t i = 0; i < partners.size(); ++i) ASSERT_EQ(partners[i], i);
}

TEST(MatchItems, EqualItemsPairInOrderHoweverManyThereAre) {
  SideBuilder builder;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    builder.add({std::string(kGemmName)}).add({"kernel_" + std::string(1 + i % 7, 'x')});
    builder.phase({i % 2 == 0 ? cycles::PhaseName::kForward : cycles::PhaseName::kBackward,
                   2 * i,
                   2 * i + 2,
                   0,
                   0,
                   cycles::kNoLoop,
                   {}});
  }
  KernelBook book;
  const Entered a(book, std::move(builder));
  EXPECT_EQ(a.items.size(), 14U);
  const Partners partners = match_items(book, a.stream_items(), a.stream_items(), 0.15);
  for (std::uint32_t i = 0; i < partners.size(); ++i) ASSERT_EQ(partners[i], i);
}

TEST(MatchItems, WhatIsHardlyAlikeStaysAlone) {
  KernelBook book;
  const Entered a(book, stream_of({{kGemmName, 10}, {kMulName, 10}, {kMulName, 10}}));
  const Entered b(book, stream_of({{kGemmName, 10}, {kFlashName, 10}, {kFlashName, 10}}));
  EXPECT_EQ(match_items(book, a.stream_items(), b.stream_items(), 0.3).front(), 0U);
  EXPECT_EQ(match_items(book, a.stream_items(), b.stream_items(), 0.4).front(), std::nullopt);
}

TEST(MatchItems, WhatTrainsGoesWithNothingThatDoesNot) {
  const auto one = [](cycles::PhaseName phase) {
    SideBuilder builder;
    builder.add({std::string(kGemmName)});
    builder.phase({phase, 0, 1, 0, 0, cycles::kNoLoop, {}});
    return builder;
  };
  using Phase = cycles::PhaseName;
  KernelBook book;
  const Entered training(book, one(Phase::kTraining));
  const auto partner = [&](Phase phase, bool pair_phases) {
    const Entered other(book, one(phase));
    const auto forth =
        match_items(book, training.stream_items(), other.stream_items(), 0.15, pair_phases);
    const auto back =
        match_items(book, other.stream_items(), training.stream_items(), 0.15, pair_phases);
    EXPECT_EQ(forth.front().has_value(), back.front().has_value());
    return forth.front().has_value();
  };
  for (const bool pair_phases : {false, true}) {
    for (const Phase phase :
         {Phase::kPrefill, Phase::kDecode, Phase::kMixed, Phase::kEncoder, Phase::kRequest})
      EXPECT_FALSE(partner(phase, pair_phases)) << name_of(phase);
    for (const Phase phase : {Phase::kTraining, Phase::kForward, Phase::kUnknown})
      EXPECT_TRUE(partner(phase, pair_phases)) << name_of(phase);
  }
}

TEST(MatchItems, OrderDecidesBetweenEqualSegments) {
  // Segments of one kernel that differ in phase only, so that they are items of their own.
  const auto two = [](cycles::PhaseName first, cycles::PhaseName second) {
    SideBuilder builder;
    builder.add({std::string(kGemmName)}).add({std::string(kGemmName)});
    builder.phase({first, 0, 1, 0, 0, cycles::kNoLoop, {}});
    builder.phase({second, 1, 2, 0, 0, cycles::kNoLoop, {}});
    return builder;
  };
  KernelBook book;
  const Entered a(book, two(cycles::PhaseName::kForward, cycles::PhaseName::kMixed));
  const Entered b(book, two(cycles::PhaseName::kUnknown, cycles::PhaseName::kPrefill));
  const Partners partners = match_items(book, a.stream_items(), b.stream_items(), 0.15);
  EXPECT_EQ(partners[0], 0U);
  EXPECT_EQ(partners[1], 1U);
}

}  // namespace
}  // namespace lockstep::analysis::compare
