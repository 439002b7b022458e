// Claims on what has a column in the table of where the time goes.
#include "report/cycles/pass_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/cycles/cycles_for_test.h"

namespace lockstep::report::cycles {
namespace {

using analysis::breakdown::Breakdown;
using analysis::cycles::kNoLoop;
using analysis::cycles::PhaseName;
using analysis::cycles::StreamCycles;
using testing::ElementsAre;

Breakdown wall_us(std::int64_t us, std::uint64_t windows = 1) {
  Breakdown times;
  times.windows = windows;
  times.wall = test_us(us).ps;
  return times;
}

// A single pass behind what is there, of kernels that no other pass runs.
void add_pass(StreamCycles& cycles, PhaseName phase, std::uint32_t layers, std::int64_t us) {
  const auto start = static_cast<std::uint32_t>(cycles.stream.size());
  for (std::uint32_t k = 0; k < 10; ++k) cycles.stream.names.push_back(start + k);
  cycles.phases.push_back({phase, start, start + 10, 1, layers, kNoLoop, {}, wall_us(us), {}});
}

std::vector<std::string> names_of(const std::vector<BrokenDown>& all) {
  std::vector<std::string> names;
  for (const BrokenDown& one : all) names.push_back(one.name);
  return names;
}

TEST(PassTimes, PassesOfUnlikeModelsAreNoMean) {
  StreamCycles cycles;
  add_pass(cycles, PhaseName::kDecode, 3, 5);
  add_pass(cycles, PhaseName::kDecode, 9, 19);
  add_pass(cycles, PhaseName::kDecode, 3, 7);
  add_pass(cycles, PhaseName::kPrefill, 9, 10);
  const std::vector<BrokenDown> all = main_breakdowns(cycles);
  EXPECT_THAT(names_of(all),
              ElementsAre("decode pass, 9 layers", "decode pass, 3 layers", "prefill pass"));
  EXPECT_EQ(all[1].times.windows, 2U);
  EXPECT_EQ(all[1].times.wall, test_us(12).ps);
}

TEST(PassTimes, FamiliesOfAsManyLayersAreToldByTheirPlace) {
  StreamCycles cycles;
  add_pass(cycles, PhaseName::kDecode, 3, 5);
  add_pass(cycles, PhaseName::kDecode, 3, 19);
  cycles.families = {{3, {{PhaseName::kDecode, {}, {{0, 10}}}}},
                     {3, {{PhaseName::kDecode, {}, {{10, 20}}}}}};
  EXPECT_THAT(names_of(main_breakdowns(cycles)),
              ElementsAre("decode pass, from kernel 10", "decode pass, from kernel 0"));
}

TEST(PassTimes, WhatTheCaptureCutsIsInNoMean) {
  StreamCycles cycles;
  add_pass(cycles, PhaseName::kUnknown, 24, 13);
  add_pass(cycles, PhaseName::kUnknown, 24, 33);
  cycles.phases[0].end = 4;
  cycles.phases[1].start = 4;
  cycles.stream.names = {6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  cycles.phases[1].end = 14;
  const std::vector<BrokenDown> all = main_breakdowns(cycles);
  ASSERT_THAT(names_of(all), ElementsAre("pass"));
  EXPECT_EQ(all[0].times.windows, 1U);
  EXPECT_EQ(all[0].times.wall, test_us(33).ps);
}

TEST(PassTimes, ALoopOfFewKernelsDoesNotTellOfTheCapture) {
  for (const double coverage : {0.02, 0.9}) {
    StreamCycles cycles = passes_for_test();
    cycles.families.clear();
    cycles.loops[0].role = analysis::cycles::LoopRole::kUnknown;
    cycles.loops[0].phase = PhaseName::kUnknown;
    cycles.loops[0].breakdown = wall_us(10, 4);
    cycles.phases = {{PhaseName::kUnknown, 0, 40, 0, 0, kNoLoop, {}, wall_us(40), {}}};
    cycles.loops[0].coverage = coverage;
    const bool is_loop = coverage > 0.5;
    EXPECT_THAT(names_of(main_breakdowns(cycles)), ElementsAre(is_loop ? "loop" : "capture"));
  }
}

TEST(PassTimes, AtMostThreeAreShownThoseThatTakeMostFirst) {
  StreamCycles cycles;
  for (std::uint32_t layers = 1; layers <= 5; ++layers)
    add_pass(cycles, PhaseName::kDecode, layers, 10 * layers);
  EXPECT_THAT(
      names_of(main_breakdowns(cycles)),
      ElementsAre("decode pass, 5 layers", "decode pass, 4 layers", "decode pass, 3 layers"));
}

}  // namespace
}  // namespace lockstep::report::cycles
