// Claims on passes that the capture cuts.
#include "analysis/cycles/spans/capture_cut.h"

#include <vector>

#include <gtest/gtest.h>

namespace lockstep::analysis::cycles {
namespace {

// Single passes of these lengths one after the other; each runs the last of kernels 0 to 9, or the
// first where it is the last one.
StreamCycles passes_of(const std::vector<std::uint32_t>& lengths) {
  StreamCycles cycles;
  for (std::size_t pass = 0; pass < lengths.size(); ++pass) {
    const auto start = static_cast<std::uint32_t>(cycles.stream.size());
    const std::uint32_t first = pass + 1 == lengths.size() ? 0 : 10 - lengths[pass];
    for (std::uint32_t k = 0; k < lengths[pass]; ++k) {
      cycles.stream.starts.push_back(Time{10 * static_cast<std::int64_t>(start + k)});
      cycles.stream.ends.push_back(cycles.stream.starts.back() + Time{4});
      cycles.stream.names.push_back(first + k);
    }
    cycles.phases.push_back(
        {PhaseName::kUnknown, start, start + lengths[pass], 1, lengths[pass], kNoLoop, {}});
  }
  return cycles;
}

TEST(CaptureCut, APartOfALongerOneAtAnEdgeOfTheCaptureIsCut) {
  const StreamCycles cycles = passes_of({4, 10, 6});
  EXPECT_EQ(cut_of(cycles, cycles.phases[0]), Cut::kBegun);
  EXPECT_EQ(cut_of(cycles, cycles.phases[1]), Cut::kNone);
  EXPECT_EQ(cut_of(cycles, cycles.phases[2]), Cut::kEnded);
}

TEST(CaptureCut, AShortPassBetweenOthersIsWhole) {
  const StreamCycles cycles = passes_of({10, 4, 10});
  EXPECT_EQ(cut_of(cycles, cycles.phases[1]), Cut::kNone);
}

TEST(CaptureCut, OtherWorkAtAnEdgeIsWhole) {
  StreamCycles cycles = passes_of({4, 10});
  for (std::uint32_t k = 0; k < 2; ++k) cycles.stream.names[k] = 20 + k;
  EXPECT_EQ(cut_of(cycles, cycles.phases[0]), Cut::kNone);
}

TEST(CaptureCut, AKernelLessMakesNoPart) {
  StreamCycles cycles = passes_of({9, 10, 10});
  EXPECT_EQ(cut_of(cycles, cycles.phases[0]), Cut::kBegun);
  // The other one has as many.
  cycles.phases = {{PhaseName::kUnknown, 0, 9, 1, 0, kNoLoop, {}},
                   {PhaseName::kUnknown, 10, 19, 1, 0, kNoLoop, {}}};
  EXPECT_EQ(cut_of(cycles, cycles.phases[0]), Cut::kNone);
}

TEST(CaptureCut, WhatAnalysisCallsCutOffIsCut) {
  StreamCycles cycles = passes_of({10, 10});
  cycles.phases[1].evidence = {{.ground = PhaseGround::kCutOff}};
  EXPECT_EQ(cut_of(cycles, cycles.phases[1]), Cut::kEnded);
}

TEST(CaptureCut, TheOnlyPassOfACaptureIsTakenAsWhole) {
  const StreamCycles cycles = passes_of({4});
  EXPECT_EQ(cut_of(cycles, cycles.phases[0]), Cut::kNone);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
