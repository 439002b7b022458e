// Loops whose passes differ in nothing but their attention.
#include <map>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/cycles/phases/phases.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr std::string_view kTestSplit = "void flash::flash_fwd_splitkv_kernel<128>(int)";

// Passes of three layers in one loop, one for each letter: what attention they run.
class Loop {
 public:
  void add_pass(const std::vector<std::string_view>& attention, std::int64_t attention_ns = 100) {
    test.kernel("vectorized_gather_kernel");
    for (int layer = 0; layer < 3; ++layer) {
      test.kernel(kTestGemm);
      for (const std::string_view name : attention) test.kernel(name, attention_ns);
      test.kernels({kTestGemm, kTestGemm, kTestAdd});
    }
    test.kernel(kTestSampling);
    ++passes_;
  }

  // Passes by phase.
  std::map<PhaseName, std::size_t> phases() {
    const auto period = static_cast<std::uint32_t>(test.cycles.stream.size()) / passes_;
    test.loop(kNoLoop, {0}, period, passes_);
    classify(test.made.trace, test.cycles);
    std::map<PhaseName, std::size_t> found;
    for (const PassFamily& family : test.cycles.families) {
      for (const PassClass& one : family.classes) found[one.phase] += one.passes.size();
    }
    return found;
  }

  WorkStream test;

 private:
  std::uint32_t passes_ = 0;
};

using Phases = std::map<PhaseName, std::size_t>;

TEST(UnitParts, EachPassIsJudgedByItsOwnAttention) {
  Loop loop;
  for (const char kind : std::string_view("pddddpdddd"))
    loop.add_pass({kind == 'p' ? kTestPrefill : kTestDecode});
  EXPECT_EQ(loop.phases(), (Phases{{PhaseName::kPrefill, 2}, {PhaseName::kDecode, 8}}));
  EXPECT_EQ(loop.test.cycles.loops[0].phase, PhaseName::kUnknown) << "it has passes of two";
  EXPECT_EQ(loop.test.cycles.phases.at(0).phase, PhaseName::kUnknown);
  EXPECT_TRUE(loop.test.cycles.phases.at(0).evidence.empty());
}

TEST(UnitParts, PassesWithoutSplitAttentionAmongThoseWithItArePrefill) {
  Loop loop;
  loop.add_pass({kTestAttention}, 300);
  for (int i = 0; i < 6; ++i) loop.add_pass({kTestSplit});
  EXPECT_EQ(loop.phases(), (Phases{{PhaseName::kPrefill, 1}, {PhaseName::kDecode, 6}}));
}

TEST(UnitParts, PassesOfOneAttentionStayWhole) {
  Loop loop;
  for (int i = 0; i < 6; ++i) loop.add_pass({kTestDecode});
  EXPECT_EQ(loop.phases(), (Phases{{PhaseName::kDecode, 6}}));
  EXPECT_EQ(loop.test.cycles.loops[0].phase, PhaseName::kDecode);
}

TEST(UnitParts, WhatTheUserMarkedStaysWhole) {
  Loop loop;
  for (const char kind : std::string_view("pddddddddd"))
    loop.add_pass({kind == 'p' ? kTestPrefill : kTestDecode});
  loop.test.annotate("decode", 0, static_cast<std::uint32_t>(loop.test.cycles.stream.size()));
  EXPECT_EQ(loop.phases(), (Phases{{PhaseName::kDecode, 10}}));
}

TEST(UnitParts, PassesThatReadBothAreNoDecode) {
  Loop split;
  for (int i = 0; i < 8; ++i) split.add_pass({kTestAttention, kTestSplit});
  EXPECT_EQ(split.phases(), (Phases{{PhaseName::kUnknown, 8}}));
  Loop named;
  for (int i = 0; i < 8; ++i) named.add_pass({kTestAttention, kTestDecode});
  EXPECT_EQ(named.phases(), (Phases{{PhaseName::kUnknown, 8}}));
}

TEST(UnitParts, PassesOfPromptsBesideThoseThatReadBothAreNoDecode) {
  Loop loop;
  for (int i = 0; i < 9; ++i) {
    if (i % 3 == 0) loop.add_pass({kTestAttention, kTestSplit});
    if (i % 3 != 0) loop.add_pass({kTestAttention, kTestAdd});
  }
  EXPECT_EQ(loop.phases(), (Phases{{PhaseName::kUnknown, 9}}));
}

}  // namespace
}  // namespace lockstep::analysis::cycles
