// Which passes are of one model, and which of them are alike.
#include "analysis/cycles/phases/pass_families.h"

#include <algorithm>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/cycles/phases/pass_units_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

std::vector<std::size_t> passes_by_class(const PassFamily& family) {
  std::vector<std::size_t> passes;
  for (const PassClass& one : family.classes) passes.push_back(one.passes.size());
  return passes;
}

using Counts = std::vector<std::size_t>;

TEST(PassFamilies, PassesOfOtherLayersAreOfAnotherModel) {
  PassUnits units;
  units.add({.layers = 3}, 2);
  units.add({.layers = 4}, 2);
  units.add({.layers = 3}, 1);
  const std::vector<PassFamily> families = units.families();
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].layers, 3U);
  EXPECT_EQ(passes_by_class(families[0]), (Counts{3}));
  EXPECT_EQ(families[1].layers, 4U);
}

TEST(PassFamilies, PassesOfMuchMoreMatrixWorkAreOfAnotherModel) {
  PassUnits units;
  units.add({.layers = 7});
  units.add({.layers = 7, .more_gemms = 6});  // 14 of 20
  EXPECT_EQ(units.families().size(), 1U);
  units.add({.layers = 7, .more_gemms = 7});
  EXPECT_EQ(units.families().size(), 2U);
}

void expect_order(PassUnits& units) {
  const std::vector<PassFamily> families = units.families();
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].layers, 4U);
  ASSERT_EQ(families[1].classes.size(), 2U);
  EXPECT_EQ(families[1].classes[0].phase, PhaseName::kDecode);
  EXPECT_EQ(families[1].classes[0].passes, (std::vector<Iteration>{{13, 23}, {33, 43}, {43, 53}}));
  EXPECT_EQ(families[1].classes[1].phase, PhaseName::kPrefill);
}

TEST(PassFamilies, FamiliesAndPassesAreByTheirFirstPass) {
  PassUnits units;
  const PassWork decode{.attention = kTestDecode};
  units.add({.layers = 4});
  units.add(decode, 1, PhaseName::kDecode);
  units.add({.gemm = kTestLongGemm, .gemm_ns = 900}, 1, PhaseName::kPrefill);
  units.add(decode, 2, PhaseName::kDecode);
  expect_order(units);
  units.reverse();
  expect_order(units);
}

TEST(PassFamilies, WhatIsKnownOfAPassIsKnownOfItsLike) {
  PassUnits units;
  const PhaseSpan& before = units.add({});
  units.add({}, 2, PhaseName::kDecode);
  const PhaseSpan& after = units.add({});
  units.families();
  for (const PhaseSpan* const span : {&before, &after}) {
    EXPECT_EQ(span->phase, PhaseName::kDecode);
    ASSERT_EQ(span->evidence.size(), 1U);
    EXPECT_EQ(span->evidence.front().ground, PhaseGround::kAnnotatedKernels);
  }
}

TEST(PassFamilies, WhereEqualPassesAreOfTwoPhasesNothingIsTold) {
  PassUnits units;
  const PhaseSpan& other = units.add({});
  units.add({}, 1, PhaseName::kDecode);
  units.add({}, 1, PhaseName::kPrefill);
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
  EXPECT_TRUE(other.evidence.empty());
}

TEST(PassFamilies, PassesAreAlikeByTheirMatrixKernels) {
  PassUnits units;
  units.add({}, 1, PhaseName::kDecode);
  const PhaseSpan& same = units.add({.attention = "void flash::flash_fwd_kernel<64>(int)"});
  const PhaseSpan& other = units.add({.gemm = kTestLongGemm});
  units.families();
  EXPECT_EQ(same.phase, PhaseName::kDecode) << "attention is no matrix kernel";
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
}

TEST(PassFamilies, AQuarterOfTheMatrixKernelsMayDiffer) {
  for (const auto& [others, phase] :
       {std::pair{3U, PhaseName::kDecode}, std::pair{4U, PhaseName::kUnknown}}) {
    PassUnits units;
    units.add({.layers = 4, .more_gemms = 4}, 1, PhaseName::kDecode);
    const PhaseSpan& other = units.add({.layers = 4, .more_gemms = 4});
    KernelStream& stream = units.test.cycles.stream;
    const std::uint32_t last = stream.names[units.test.kernel(kTestLongGemm)];
    // The last of its twelve, before what ends the pass.
    for (std::uint32_t i = 0; i < others; ++i) stream.names[stream.size() - 3 - i] = last;
    units.families();
    EXPECT_EQ(other.phase, phase) << others;
  }
}

TEST(PassFamilies, PassesWhoseAttentionTakesFourTimesAsLongAreNotAlike) {
  PassUnits units;
  units.add({.attention_ns = 100}, 4, PhaseName::kDecode);
  const PhaseSpan& same = units.add({.attention_ns = 399});
  const PhaseSpan& longer = units.add({.attention_ns = 400});
  units.families();
  EXPECT_EQ(same.phase, PhaseName::kDecode);
  EXPECT_EQ(longer.phase, PhaseName::kPrefill);
}

TEST(PassFamilies, AttentionIsTimedByItsMedian) {
  PassUnits units;
  units.add({.attention_ns = 100}, 4, PhaseName::kDecode);
  const PhaseSpan& other = units.add({.attention_ns = 100});
  // The first attention of the last pass waited for something.
  KernelStream& stream = units.test.cycles.stream;
  stream.ends[stream.size() - 9] += Time{900 * kPicosecondsPerNanosecond};
  units.families();
  EXPECT_EQ(other.phase, PhaseName::kDecode);
}

TEST(PassFamilies, PassesWithoutMatrixKernelsAreAlikeByAllTheirKernels) {
  PassUnits units;
  const PassWork scans{.gemm = "selective_scan_kernel"};
  const PassWork adds{.gemm = kTestAdd};
  const PhaseSpan& other = units.add(adds);
  const PhaseSpan& same = units.add(scans);
  units.add(scans, 2, PhaseName::kDecode);
  units.families();
  EXPECT_EQ(same.phase, PhaseName::kDecode);
  EXPECT_EQ(other.phase, PhaseName::kUnknown);
}

TEST(PassFamilies, TheSeventeenthKindOfPassIsCountedWithTheSixteenth) {
  PassUnits units;
  std::deque<std::string> names;
  for (int i = 0; i < 17; ++i) names.push_back("ampere_sgemm_" + std::to_string(32 + i) + "x64_nn");
  for (std::size_t i = 0; i < 14; ++i) units.add({.gemm = names[i]});
  const PhaseSpan& fifteenth = units.add({.gemm = names[14]});
  const PhaseSpan& sixteenth = units.add({.gemm = names[15]});
  units.add({.gemm = names[16]}, 1, PhaseName::kMixed);
  units.families();
  EXPECT_EQ(sixteenth.phase, PhaseName::kMixed);
  EXPECT_EQ(fifteenth.phase, PhaseName::kUnknown);
}

RC_GTEST_PROP(PassFamilies, EveryPassIsInOneClassOfItsLayers, ()) {
  PassUnits units;
  std::vector<std::pair<std::uint32_t, Iteration>> all;
  const int count = *rc::gen::inRange(1, 8);
  for (int i = 0; i < count; ++i) {
    PassWork work;
    work.gemm = *rc::gen::element(kTestGemm, kTestLongGemm);
    work.gemm_ns = *rc::gen::inRange(1, 500);
    work.attention = *rc::gen::element(kTestAttention, kTestPrefill, kTestDecode);
    work.attention_ns = *rc::gen::inRange(0, 900);
    work.layers = *rc::gen::inRange(2U, 4U);
    work.more_gemms = *rc::gen::inRange(0U, 6U);
    work.samples = *rc::gen::arbitrary<bool>();
    auto start = static_cast<std::uint32_t>(units.test.cycles.stream.size());
    const auto passes = *rc::gen::inRange(1U, 6U);
    units.add(work, passes,
              *rc::gen::element(PhaseName::kUnknown, PhaseName::kUnknown, PhaseName::kDecode,
                                PhaseName::kPrefill));
    const std::uint32_t size = 3 * work.layers + work.more_gemms + 1;
    for (std::uint32_t p = 0; p < passes; ++p, start += size)
      all.push_back({work.layers, {start, start + size}});
  }
  std::vector<std::pair<std::uint32_t, Iteration>> told;
  for (const PassFamily& family : units.families()) {
    std::set<PhaseName> phases;
    for (const PassClass& one : family.classes) {
      RC_ASSERT(phases.insert(one.phase).second);
      RC_ASSERT(one.evidence.empty() == (one.phase == PhaseName::kUnknown));
      RC_ASSERT(std::ranges::is_sorted(one.passes, {}, &Iteration::start));
      for (const Iteration& pass : one.passes) told.push_back({family.layers, pass});
    }
  }
  std::ranges::sort(told, {}, [](const auto& pass) { return pass.second.start; });
  RC_ASSERT(told == all);
}

}  // namespace
}  // namespace lockstep::analysis::cycles
