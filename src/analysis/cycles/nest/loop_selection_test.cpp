// Tests of --mode: which loop it selects.
#include "analysis/cycles/nest/loop_selection.h"

#include <gtest/gtest.h>

#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr CycleMode kPrefill = CycleMode::kPrefill;
constexpr CycleMode kDecode = CycleMode::kDecode;

class LoopSelectionTest : public testing::Test {
 protected:
  std::int32_t loop(std::int32_t parent, std::uint32_t start, std::uint32_t period,
                    std::uint32_t times, LoopRole role, PhaseName phase = PhaseName::kUnknown) {
    const std::int32_t index = made_.loop(parent, {start}, period, times);
    Loop loop;
    loop.role = role;
    loop.phase = phase;
    made_.cycles.loops.push_back(loop);
    return index;
  }
  [[nodiscard]] std::optional<std::uint32_t> selected(CycleMode mode) const {
    return select_loop(made_.cycles, mode);
  }

  // Long enough for all loops below.
  void SetUp() override { made_.kernels({kTestAdd}, 200); }

 private:
  WorkStream made_;
};

TEST_F(LoopSelectionTest, APhaseIsFoundInsideRequests) {
  const auto request = loop(kNoLoop, 0, 60, 3, LoopRole::kRequest, PhaseName::kRequest);
  loop(request, 2, 3, 4, LoopRole::kLayer, PhaseName::kPrefill);
  const auto decode = loop(request, 16, 8, 5, LoopRole::kPass, PhaseName::kDecode);
  loop(decode, 17, 2, 3, LoopRole::kLayer, PhaseName::kDecode);
  EXPECT_EQ(selected(kPrefill), 1U);
  EXPECT_EQ(selected(kDecode), 2U);
}

TEST_F(LoopSelectionTest, OutermostLoopsOfThePhaseComeFirst) {
  const auto request = loop(kNoLoop, 0, 40, 2, LoopRole::kRequest, PhaseName::kRequest);
  loop(request, 10, 5, 4, LoopRole::kPass, PhaseName::kPrefill);
  loop(request, 30, 2, 4, LoopRole::kPass, PhaseName::kDecode);
  loop(kNoLoop, 100, 5, 4, LoopRole::kPass, PhaseName::kPrefill);
  EXPECT_EQ(selected(kPrefill), 3U);
  EXPECT_EQ(selected(kDecode), 2U);
}

TEST_F(LoopSelectionTest, LayersOfACutOffPassStandBehindItsLoop) {
  loop(kNoLoop, 0, 20, 4, LoopRole::kPass, PhaseName::kDecode);
  loop(kNoLoop, 90, 5, 2, LoopRole::kLayer, PhaseName::kDecode);
  EXPECT_EQ(selected(kDecode), 0U);
}

TEST_F(LoopSelectionTest, OfSeveralTheEarliestIsThePrefillAndTheLatestTheDecode) {
  for (const PhaseName phase : {PhaseName::kPrefill, PhaseName::kDecode}) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      loop(kNoLoop, 20 * i + (phase == PhaseName::kDecode ? 50 : 0), 5, 4, LoopRole::kPass, phase);
    }
  }
  EXPECT_EQ(selected(kPrefill), 0U);
  EXPECT_EQ(selected(kDecode), 3U);
}

TEST_F(LoopSelectionTest, WithoutThePhaseThePositionOfOutermostLoopsDecides) {
  const auto first = loop(kNoLoop, 0, 20, 2, LoopRole::kLayer);
  loop(first, 1, 2, 4, LoopRole::kInner, PhaseName::kPrefill);
  const auto last = loop(kNoLoop, 50, 20, 2, LoopRole::kPass);
  loop(last, 80, 2, 4, LoopRole::kLayer);
  EXPECT_EQ(selected(kPrefill), 0U) << "an inner loop is nobody's prefill";
  EXPECT_EQ(selected(kDecode), 2U);
}

TEST_F(LoopSelectionTest, AutoAndStreamsWithoutLoopsSelectNone) {
  EXPECT_FALSE(selected(kPrefill));
  loop(kNoLoop, 0, 20, 2, LoopRole::kPass);
  EXPECT_FALSE(selected(CycleMode::kAuto));
}

}  // namespace
}  // namespace lockstep::analysis::cycles
