// Which kernels of two bodies are put against each other.
#include "analysis/compare/body_pairing.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/compare/side_for_test.h"

namespace lockstep::analysis::compare {
namespace {

using Positions = std::vector<std::uint32_t>;

class Bodies {
 public:
  Body body(const std::vector<TestKernel>& kernels) {
    Body result;
    for (const TestKernel& kernel : kernels) {
      SideBuilder builder;
      builder.add(kernel);
      const TestSide side = builder.side();
      result.kernels.push_back(book.enter(side.trace, side.cycles.streams.front().stream).front());
      result.mean_ps.push_back(kernel.duration_ns * kPicosecondsPerNanosecond);
    }
    return result;
  }
  BodyPairing pair(const std::vector<TestKernel>& a, const std::vector<TestKernel>& b,
                   bool may_turn = false) {
    return pair_bodies(book, body(a), body(b), may_turn);
  }

  KernelBook book;
};

TestKernel kernel(std::string_view name, std::int64_t duration_ns = 1000) {
  return {std::string(name), duration_ns, 0};
}

void expect_group(const KernelGroup& group, RowKind kind, const Positions& a, const Positions& b) {
  EXPECT_EQ(name_of(group.kind), name_of(kind));
  EXPECT_EQ(group.a, a);
  EXPECT_EQ(group.b, b);
}

TEST(BodyPairing, EqualBodiesPairOneToOne) {
  const BodyPairing pairing =
      Bodies().pair({kernel(kGemmName), kernel(kMulName)}, {kernel(kGemmName), kernel(kMulName)});
  ASSERT_EQ(pairing.groups.size(), 2U);
  expect_group(pairing.groups[0], RowKind::kSame, {0}, {0});
  expect_group(pairing.groups[1], RowKind::kSame, {1}, {1});
  EXPECT_EQ(pairing.similarity, 1);
}

TEST(BodyPairing, OtherVendorsKernelOfTheRoleIsSimilar) {
  const BodyPairing pairing = Bodies().pair({kernel(kGemmName), kernel(kMulName)},
                                            {kernel(kOtherGemmName), kernel(kMulUnrolledName)});
  ASSERT_EQ(pairing.groups.size(), 2U);
  expect_group(pairing.groups[0], RowKind::kSimilar, {0}, {0});
  expect_group(pairing.groups[1], RowKind::kSimilar, {1}, {1});
  EXPECT_GT(pairing.similarity, 0.7);
  EXPECT_LT(pairing.similarity, 1);
}

TEST(BodyPairing, KernelWithoutPartnerStandsAlone) {
  const BodyPairing pairing = Bodies().pair({kernel(kGemmName), kernel(kAllReduceName)},
                                            {kernel(kGemmName), kernel(kFlashName)});
  ASSERT_EQ(pairing.groups.size(), 3U);
  expect_group(pairing.groups[1], RowKind::kOnlyA, {1}, {});
  expect_group(pairing.groups[2], RowKind::kOnlyB, {}, {1});
}

TEST(BodyPairing, WrittenOutNormStandsAgainstTheFusedOne) {
  const std::vector<TestKernel> eager = {kernel(kGemmName), kernel(kPowName),   kernel(kMeanName),
                                         kernel(kAddName),  kernel(kRsqrtName), kernel(kMulName),
                                         kernel(kGemmName)};
  const std::vector<TestKernel> compiled = {kernel(kGemmName), kernel(kFusedNormName),
                                            kernel(kGemmName)};
  const BodyPairing fused = Bodies().pair(eager, compiled);
  ASSERT_EQ(fused.groups.size(), 3U);
  expect_group(fused.groups[1], RowKind::kFused, {1, 2, 3, 4, 5}, {1});
  const BodyPairing split = Bodies().pair(compiled, eager);
  ASSERT_EQ(split.groups.size(), 3U);
  expect_group(split.groups[1], RowKind::kSplit, {1}, {1, 2, 3, 4, 5});
}

TEST(BodyPairing, FusedKernelTakesItsOperationFromBeyondANeighbour) {
  // silu stands before the second GEMM, mul behind it; mul_silu does both behind it.
  const BodyPairing pairing = Bodies().pair(
      {kernel(kGemmName), kernel(kSiluName), kernel(kGemmName), kernel(kMulName),
       kernel(kFlashName)},
      {kernel(kGemmName), kernel(kGemmName), kernel(kFusedSiluName), kernel(kFlashName)});
  ASSERT_EQ(pairing.groups.size(), 4U);
  expect_group(pairing.groups[2], RowKind::kFused, {1, 3}, {2});
}

TEST(BodyPairing, MovedKernelIsStillTheSame) {
  const BodyPairing pairing =
      Bodies().pair({kernel(kFlashName), kernel(kGemmName, 9000), kernel(kMulName)},
                    {kernel(kGemmName, 9000), kernel(kMulName), kernel(kFlashName)});
  ASSERT_EQ(pairing.groups.size(), 3U);
  expect_group(pairing.groups[0], RowKind::kSame, {0}, {2});
}

TEST(BodyPairing, DurationDecidesBetweenKernelsOfOneName) {
  const BodyPairing pairing = Bodies().pair({kernel(kGemmName, 50'000)},
                                            {kernel(kGemmName, 2000), kernel(kGemmName, 49'000)});
  ASSERT_EQ(pairing.groups.size(), 2U);
  expect_group(pairing.groups[1], RowKind::kSame, {0}, {1});
}

TEST(BodyPairing, LoopMayBeginElsewhereButASegmentMayNot) {
  const std::vector<TestKernel> a = {kernel(kGemmName), kernel(kMulName), kernel(kFlashName)};
  const std::vector<TestKernel> b = {kernel(kFlashName), kernel(kGemmName), kernel(kMulName)};
  const BodyPairing turned = Bodies().pair(a, b, true);
  EXPECT_EQ(turned.rotation, 1U);
  ASSERT_EQ(turned.groups.size(), 3U);
  expect_group(turned.groups[0], RowKind::kSame, {0}, {1});
  expect_group(turned.groups[2], RowKind::kSame, {2}, {0});
  EXPECT_EQ(Bodies().pair(a, b, false).rotation, 0U);
}

TEST(BodyPairing, EmptyBodyHasNothingInCommon) {
  const BodyPairing pairing = Bodies().pair({}, {kernel(kGemmName)});
  ASSERT_EQ(pairing.groups.size(), 1U);
  expect_group(pairing.groups[0], RowKind::kOnlyB, {}, {0});
  EXPECT_EQ(pairing.similarity, 0);
  EXPECT_EQ(Bodies().pair({}, {}).similarity, 0);
}

// GEMMs, in the first half or the second with a mul after each.
Body long_body(Bodies& bodies, std::uint32_t size, bool is_first_half) {
  const Body one = bodies.body({kernel(kGemmName), kernel(kMulName)});
  Body body;
  body.mean_ps.assign(size, 1000);
  for (std::uint32_t i = 0; i < size; ++i) {
    const bool is_mul = i % 2 == 1 && (i < size / 2) == is_first_half;
    body.kernels.push_back(one.kernels[is_mul ? 1 : 0]);
  }
  return body;
}

TEST(BodyPairing, BodiesTooLongToAlignArePairedByName) {
  Bodies bodies;
  const Body a = long_body(bodies, 40'000, true);
  const Body b = long_body(bodies, 40'000, false);
  const BodyPairing pairing = pair_bodies(bodies.book, a, b, true);
  EXPECT_TRUE(pairing.by_name);
  ASSERT_EQ(pairing.groups.size(), 2U);
  EXPECT_EQ(pairing.groups[0].kind, RowKind::kSame);
  EXPECT_EQ(pairing.groups[0].a.size(), 30'000U);
  EXPECT_EQ(pairing.groups[1].b.size(), 10'000U);
  EXPECT_EQ(pairing.groups[1].b.front(), 20'001U);
}

TEST(BodyPairing, LongBodiesThatAreNearlyEqualAreAligned) {
  Bodies bodies;
  const Body a = long_body(bodies, 40'000, true);
  Body b = a;
  b.kernels[7] = bodies.body({kernel(kFlashName)}).kernels.front();
  const BodyPairing pairing = pair_bodies(bodies.book, a, b, true);
  EXPECT_FALSE(pairing.by_name);
  EXPECT_GT(pairing.groups.size(), 39'000U);
}

// So many names of one kind; `order` tells where they stand.
Body distinct_body(Bodies& bodies, std::string_view prefix, int count, bool is_reversed) {
  std::vector<TestKernel> kernels;
  for (int i = 0; i < count; ++i) {
    const int number = is_reversed ? count - 1 - i : i;
    std::string name(prefix);
    for (int rest = number; rest > 0; rest /= 26) name += static_cast<char>('a' + rest % 26);
    kernels.push_back(kernel(name));
  }
  return bodies.body(kernels);
}

TEST(BodyPairing, NamesOfOneSideAreFewKindsHoweverMany) {
  Bodies bodies;
  const Body a = distinct_body(bodies, "gemm_one_", 4500, false);
  const Body b = distinct_body(bodies, "gemm_two_", 4500, false);
  const BodyPairing pairing = pair_bodies(bodies.book, a, b, false);
  EXPECT_FALSE(pairing.by_name);
  EXPECT_EQ(pairing.groups.size(), 4500U);
}

TEST(BodyPairing, TooManyCommonNamesAreRowsByThemselves) {
  Bodies bodies;
  const Body a = distinct_body(bodies, "gemm_one_", 4500, false);
  const Body b = distinct_body(bodies, "gemm_one_", 4500, true);
  const BodyPairing pairing = pair_bodies(bodies.book, a, b, false);
  EXPECT_TRUE(pairing.by_name);
  EXPECT_EQ(pairing.groups.size(), 4500U);
  EXPECT_EQ(pairing.similarity, 1);
}

RC_GTEST_PROP(BodyPairingProperties, EveryKernelStandsInOneGroup, ()) {
  const std::vector<std::string_view> names = {kGemmName,  kOtherGemmName, kFlashName,    kSiluName,
                                               kMulName,   kAddName,       kPowName,      kMeanName,
                                               kRsqrtName, kFusedNormName, kFusedSiluName};
  const auto any_body = [&] {
    const auto picks = *rc::gen::container<std::vector<std::size_t>>(
        rc::gen::inRange<std::size_t>(0, names.size()));
    std::vector<TestKernel> kernels;
    for (const std::size_t pick : picks) {
      kernels.push_back(kernel(names[pick], *rc::gen::inRange<std::int64_t>(0, 5000)));
    }
    return kernels;
  };
  const std::vector<TestKernel> a = any_body();
  const std::vector<TestKernel> b = any_body();
  const BodyPairing pairing = Bodies().pair(a, b, *rc::gen::arbitrary<bool>());
  Positions of_a;
  Positions of_b;
  for (const KernelGroup& group : pairing.groups) {
    RC_ASSERT(!group.a.empty() || !group.b.empty());
    RC_ASSERT(std::ranges::is_sorted(group.a) && std::ranges::is_sorted(group.b));
    of_a.insert(of_a.end(), group.a.begin(), group.a.end());
    of_b.insert(of_b.end(), group.b.begin(), group.b.end());
  }
  std::ranges::sort(of_a);
  std::ranges::sort(of_b);
  RC_ASSERT(of_a.size() == a.size() && of_b.size() == b.size());
  for (std::uint32_t i = 0; i < of_a.size(); ++i) RC_ASSERT(of_a[i] == i);
  for (std::uint32_t i = 0; i < of_b.size(); ++i) RC_ASSERT(of_b[i] == i);
  RC_ASSERT(pairing.similarity >= 0 && pairing.similarity <= 1);
}

}  // namespace
}  // namespace lockstep::analysis::compare
