#include "report/cycles/loops/loop_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"
#include "report/cycles/cycles_page.h"
#include "report/cycles/loops/scattered_passes.h"

namespace lockstep::report::cycles {
namespace {

using analysis::cycles::Iteration;
using analysis::cycles::kNoLoop;
using analysis::cycles::LoopRole;
using analysis::cycles::PhaseName;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A loop at the top that lies at `start`.
void add_loop(analysis::cycles::StreamCycles& cycles, std::uint32_t id, LoopRole role,
              PhaseName phase, std::uint32_t start, std::uint32_t period, std::uint32_t times) {
  analysis::cycles::NestLoop nest = nest_for_test(id, kNoLoop, period);
  nest.instances.emplace_back();
  analysis::cycles::Loop loop;
  loop.role = role;
  loop.phase = phase;
  loop.complete = times;
  for (std::uint32_t i = 0; i < times; ++i) {
    const Iteration one{start + i * period, start + (i + 1) * period};
    nest.instances.front().iterations.push_back(one);
    add_iteration(loop, one.start, one.end, test_us(10));
  }
  cycles.nest.loops.push_back(nest);
  cycles.loops.push_back(loop);
}

void add_span(analysis::cycles::StreamCycles& cycles, PhaseName phase, std::uint32_t start,
              std::uint32_t end, std::int32_t loop, WideTime wall) {
  analysis::cycles::PhaseSpan span;
  span.phase = phase;
  span.start = start;
  span.end = end;
  span.loop = loop;
  span.breakdown.wall = wall;
  cycles.phases.push_back(span);
}

// Prefill, three decode passes, prefill, three decode passes: 5, 3 x 2, 7, 3 x 2 kernels. Layers of
// the prefills have other bodies.
analysis::cycles::StreamCycles server_for_test() {
  analysis::cycles::StreamCycles cycles;
  cycles.stream = stream_for_test();
  add_loop(cycles, 1, LoopRole::kLayer, PhaseName::kPrefill, 1, 2, 2);
  add_loop(cycles, 2, LoopRole::kPass, PhaseName::kDecode, 5, 2, 3);
  add_loop(cycles, 3, LoopRole::kLayer, PhaseName::kPrefill, 12, 2, 3);
  add_loop(cycles, 4, LoopRole::kPass, PhaseName::kDecode, 18, 2, 3);
  add_span(cycles, PhaseName::kPrefill, 0, 5, kNoLoop, 7);
  add_span(cycles, PhaseName::kDecode, 5, 11, 1, 0);
  add_span(cycles, PhaseName::kPrefill, 11, 18, kNoLoop, 70);
  add_span(cycles, PhaseName::kDecode, 18, 24, 3, 0);
  cycles.families = {
      {2,
       {{PhaseName::kPrefill, {}, {{0, 5}, {11, 18}}},
        {PhaseName::kDecode, {}, {{5, 7}, {7, 9}, {9, 11}, {18, 20}, {20, 22}, {22, 24}}}}}};
  cycles.families[0].classes[0].breakdown.wall = 77;
  cycles.families[0].classes[1].breakdown.wall = 1'100;
  return cycles;
}

TEST(ScatteredPasses, PassesBetweenThoseOfOthersAreScattered) {
  const analysis::cycles::StreamCycles cycles = server_for_test();
  const std::vector<ScatteredFamily> found = scattered_families(cycles);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_EQ(found[0].classes.size(), 2U);
  EXPECT_THAT(found[0].classes[0].spans, ElementsAre(0, 2));
  EXPECT_THAT(found[0].classes[1].spans, ElementsAre(1, 3));
}

TEST(ScatteredPasses, OneRunOfPassesIsNotScattered) {
  EXPECT_THAT(scattered_families(passes_for_test()), IsEmpty());
  analysis::cycles::StreamCycles cycles = server_for_test();
  cycles.families[0].classes[0].passes.resize(1);
  cycles.families[0].classes[1].passes.resize(3);
  EXPECT_THAT(scattered_families(cycles), IsEmpty());
}

TEST(ScatteredPasses, PassesInsideIterationsAreNotScattered) {
  analysis::cycles::StreamCycles cycles = server_for_test();
  cycles.families[0].classes = {{PhaseName::kDecode, {}, {{5, 6}, {18, 19}}}};
  EXPECT_THAT(scattered_families(cycles), IsEmpty());
}

TEST(LoopRows, PassesOfAFamilyStandTogetherWithTheirLayersBelow) {
  const analysis::cycles::StreamCycles cycles = server_for_test();
  const std::vector<LoopRow> rows = loop_rows(cycles, {0, 1, 2, 3});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].passes, cycles.families[0].classes.data());
  EXPECT_THAT(rows[0].loops, IsEmpty());
  EXPECT_EQ(rows[1].depth, 1U);
  EXPECT_THAT(rows[1].loops, ElementsAre(0, 2)) << "layers of two bodies, as long as each other";
  EXPECT_EQ(rows[2].passes, cycles.families[0].classes.data() + 1);
  EXPECT_THAT(rows[2].loops, ElementsAre(1, 3));
}

TEST(LoopRows, FiguresOfPassesCountEveryRun) {
  const analysis::cycles::StreamCycles cycles = server_for_test();
  const std::vector<LoopRow> rows = loop_rows(cycles, {0, 2, 3});  // one run is not shown
  EXPECT_EQ(breakdown_of(cycles, rows[0]).wall, 77);
  EXPECT_EQ(breakdown_of(cycles, rows[2]).wall, 1'100);
  EXPECT_EQ(walls_of(cycles, rows[2]).size(), 6U);
  // Kernels begin every 10 us, and every 100 us from the 14th on; the last of a run ends with its
  // last kernel.
  EXPECT_EQ(median_wall(cycles, rows[2]), test_us((20 + 104) / 2));
}

// All of it, but for the first pass, in two iterations of a loop that is neither request nor step.
TEST(LoopRows, LoopsThatHoldPassesByChanceHaveNoRow) {
  analysis::cycles::StreamCycles cycles = server_for_test();
  add_loop(cycles, 5, LoopRole::kUnknown, PhaseName::kUnknown, 5, 9, 2);
  EXPECT_TRUE(holds_passes_by_chance(cycles, 4));
  EXPECT_FALSE(holds_passes_by_chance(cycles, 1)) << "a loop of passes";
  for (const LoopRow& row : loop_rows(cycles, {0, 4, 1, 2, 3}))
    EXPECT_THAT(row.loops, testing::Not(testing::Contains(4U)));
  EXPECT_THAT(main_loop(cycles), testing::Ne(std::optional<std::size_t>(4)));
  cycles.loops[4].role = LoopRole::kRequest;
  EXPECT_FALSE(holds_passes_by_chance(cycles, 4));
}

TEST(LoopRows, TheTableTellsPassesByFamily) {
  analysis::cycles::Cycles cycles;
  cycles.streams.push_back(server_for_test());
  const std::string text = cycles_text(cycles, {}, {.show_all = true}, {});
  EXPECT_THAT(text, HasSubstr("\n  prefill pass     2 x 5-7"));
  EXPECT_THAT(text, HasSubstr("\n    prefill layer    2, 3 x 2"));
  EXPECT_THAT(text, HasSubstr("\n  decode pass      6 x 2"));
}

TEST(LoopRows, LoopsOfOneBodyBelowOneParentAreOneRow) {
  analysis::cycles::StreamCycles cycles = passes_for_test();
  cycles.nest.loops.push_back(cycles.nest.loops[1]);
  cycles.loops.push_back(cycles.loops[1]);
  const std::vector<LoopRow> rows = loop_rows(cycles, {0, 1, 2});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_THAT(rows[1].loops, ElementsAre(1, 2));
  EXPECT_EQ(median_wall(cycles, rows[1]), test_us(20));
  cycles.loops[2].phase = PhaseName::kPrefill;
  EXPECT_EQ(loop_rows(cycles, {0, 1, 2}).size(), 3U);
}

TEST(LoopRows, NotesOnEqualLoopsAtManyPlacesAreCounted) {
  analysis::cycles::Cycles cycles;
  cycles.streams.push_back(passes_for_test());
  analysis::cycles::StreamCycles& stream = cycles.streams.front();
  stream.loops[1].partial = 2;
  for (int place = 1; place < 30; ++place) {
    stream.nest.loops.push_back(stream.nest.loops[1]);
    stream.loops.push_back(stream.loops[1]);
  }
  const std::string text = cycles_text(cycles, {}, {.show_all = true}, {});
  EXPECT_THAT(text, HasSubstr("place 24: 2 more iterations are incomplete"));
  EXPECT_THAT(text, Not(HasSubstr("place 25:")));
  EXPECT_THAT(text, HasSubstr("and 6 more notes\n"));
}

TEST(LoopRows, WithoutFamiliesEqualLoopsAreOneRow) {
  analysis::cycles::StreamCycles cycles = server_for_test();
  cycles.families.clear();
  EXPECT_EQ(loop_rows(cycles, {0, 1, 2, 3}).size(), 4U);
  cycles.nest.loops[2].id = 1;
  const std::vector<LoopRow> rows = loop_rows(cycles, {0, 1, 2, 3});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[0].loops, ElementsAre(0, 2));
}

TEST(LoopRows, UnlikeIterationsAreToldByTheirRange) {
  analysis::cycles::Cycles cycles;
  cycles.streams.push_back(passes_for_test());
  analysis::cycles::Loop& passes = cycles.streams[0].loops[0];
  EXPECT_THAT(cycles_text(cycles, {}, {}, {}), HasSubstr("4 x 6 "));
  passes.iterations[0].kernels = {0, 1'000};
  passes.iterations[1].kernels = {0, 1'090};
  passes.iterations[2].kernels = passes.iterations[3].kernels = passes.iterations[1].kernels;
  EXPECT_THAT(cycles_text(cycles, {}, {}, {}), HasSubstr("4 x 6 ")) << "a tenth more at most";
  passes.iterations[3].kernels = {0, 2'539};
  EXPECT_THAT(cycles_text(cycles, {}, {}, {}), HasSubstr("4 x 1,000-2,539 "));
}

}  // namespace
}  // namespace lockstep::report::cycles
