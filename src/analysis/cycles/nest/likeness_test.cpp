// Which iterations are of one loop, against a plain count of what two of them have in common.
#include "analysis/cycles/nest/likeness.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::analysis::cycles {
namespace {

using Kernels = std::vector<std::uint32_t>;

// Two of forty may be replaced, ten more or fewer be there.
constexpr std::uint32_t kBody = 40;

Kernels numbered(std::uint32_t size, std::uint32_t first = 0) {
  Kernels kernels(size);
  std::iota(kernels.begin(), kernels.end(), first);
  return kernels;
}

// The body with so many kernels replaced, so many removed and so many put in, all apart.
Kernels changed_body(std::uint32_t replaced, std::uint32_t removed, std::uint32_t added) {
  Kernels kernels = numbered(kBody);
  for (std::uint32_t i = 0; i < replaced; ++i) kernels[3 * i + 1] = 100 + i;
  kernels.erase(kernels.end() - 1 - removed, kernels.end() - 1);
  for (std::uint32_t i = 0; i < added; ++i) kernels.insert(kernels.begin() + 10 + 2 * i, 200 + i);
  return kernels;
}

std::optional<std::uint32_t> distance_to(const Kernels& other) {
  return distance_if_alike({}, numbered(kBody), other);
}

TEST(Likeness, EqualIterationsAreAlike) { EXPECT_EQ(distance_to(numbered(kBody)), 0U); }

TEST(Likeness, FewKernelsMayBeReplaced) {
  EXPECT_EQ(distance_to(changed_body(2, 0, 0)), 2U);
  EXPECT_EQ(distance_to(changed_body(3, 0, 0)), std::nullopt);
}

TEST(Likeness, AQuarterMayBeMissing) {
  EXPECT_EQ(distance_to(changed_body(0, 10, 0)), 10U);
  EXPECT_EQ(distance_to(changed_body(0, 11, 0)), std::nullopt);
}

TEST(Likeness, AQuarterMayBeAdded) {
  EXPECT_EQ(distance_to(changed_body(0, 0, 10)), 10U);
  EXPECT_EQ(distance_to(changed_body(0, 0, 11)), std::nullopt);
}

TEST(Likeness, WhatDiffersInBothDirectionsIsOfTwoLoops) {
  EXPECT_EQ(distance_to(changed_body(0, 2, 8)), 10U);
  EXPECT_EQ(distance_to(changed_body(0, 3, 8)), std::nullopt) << "fewer edits than are allowed";
  EXPECT_EQ(distance_to(changed_body(0, 8, 2)), 10U);
  EXPECT_EQ(distance_to(changed_body(0, 8, 3)), std::nullopt);
}

TEST(Likeness, ReplacedKernelsCountInBothDirections) {
  EXPECT_EQ(distance_to(changed_body(2, 8, 0)), 10U);
  EXPECT_EQ(distance_to(changed_body(2, 9, 0)), std::nullopt) << "eleven are missing";
  EXPECT_EQ(distance_to(changed_body(2, 0, 8)), 10U);
  EXPECT_EQ(distance_to(changed_body(2, 0, 9)), std::nullopt) << "eleven are added";
}

TEST(Likeness, SharesAreOfTheBody) {
  const Kernels longer = numbered(kBody + 10);
  EXPECT_EQ(distance_if_alike({.replaced = 0, .added = 0.2}, longer, numbered(kBody)), 10U);
  EXPECT_EQ(distance_if_alike({.replaced = 0, .added = 0.2}, numbered(kBody), longer),
            std::nullopt);
}

TEST(Likeness, BodiesOfFewKernelsAllowNoEdit) {
  EXPECT_EQ(distance_if_alike({}, numbered(3), numbered(2)), std::nullopt);
  EXPECT_EQ(distance_if_alike({}, numbered(4), numbered(3)), 1U);
}

TEST(Likeness, EditsAreTheSharesTogether) {
  EXPECT_EQ(most_edits({}, 0), 0U);
  EXPECT_EQ(most_edits({}, 3), 0U);
  EXPECT_EQ(most_edits({}, kBody), 12U);
  EXPECT_EQ(most_edits({.replaced = 0.1, .added = 0.4}, kBody), 20U);
}

TEST(Likeness, LongBodiesHaveNoMoreEditsThanAreWorthTheSearch) {
  EXPECT_EQ(most_edits({}, 1U << 20U), kMostEdits);
  const std::uint32_t size = 10 * kMostEdits;
  const Kernels body = numbered(size);
  EXPECT_EQ(distance_if_alike({}, body, numbered(size - kMostEdits)), kMostEdits);
  EXPECT_EQ(distance_if_alike({}, body, numbered(size - kMostEdits - 1)), std::nullopt);
}

// Kernels that two iterations have in common, in order: the longest common subsequence.
std::uint32_t common_kernels(const Kernels& a, const Kernels& b) {
  std::vector<std::uint32_t> before(b.size() + 1);
  for (const std::uint32_t kernel : a) {
    std::vector<std::uint32_t> now(b.size() + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      now[j + 1] = kernel == b[j] ? before[j] + 1 : std::max(before[j + 1], now[j]);
    before = std::move(now);
  }
  return before.back();
}

std::uint32_t slow_edits(const Kernels& a, const Kernels& b) {
  std::vector<std::uint32_t> before(b.size() + 1);
  std::iota(before.begin(), before.end(), 0U);
  for (const std::uint32_t kernel : a) {
    std::vector<std::uint32_t> now(b.size() + 1, before[0] + 1);
    for (std::size_t j = 0; j < b.size(); ++j)
      now[j + 1] = std::min({before[j] + (kernel == b[j] ? 0 : 1), before[j + 1] + 1, now[j] + 1});
    before = std::move(now);
  }
  return before.back();
}

Kernels any_body() {
  return *rc::gen::container<Kernels>(*rc::gen::inRange(1, 60),
                                      rc::gen::inRange<std::uint32_t>(0, 12));
}

// With some kernels removed, put in or replaced.
Kernels edited_kernels(Kernels kernels) {
  const int edits = *rc::gen::inRange(0, 10);
  for (int i = 0; i < edits && !kernels.empty(); ++i) {
    const auto at = kernels.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, std::ssize(kernels));
    const int kind = *rc::gen::inRange(0, 3);
    if (kind == 0) kernels.erase(at);
    if (kind == 1) kernels.insert(at, 99);
    if (kind == 2) *at = *rc::gen::inRange<std::uint32_t>(0, 12);
  }
  return kernels;
}

Likeness any_likeness() {
  return {.replaced = 0.01 * *rc::gen::inRange(0, 20), .added = 0.01 * *rc::gen::inRange(0, 50)};
}

RC_GTEST_PROP(Likeness, IterationsThatAreAlikeHaveEnoughInCommon, ()) {
  const Kernels body = any_body();
  const Kernels other = edited_kernels(body);
  const Likeness likeness = any_likeness();
  const auto distance = distance_if_alike(likeness, body, other);
  if (!distance) return;
  RC_ASSERT(*distance == slow_edits(body, other));
  const std::uint32_t common = common_kernels(body, other);
  const auto period = static_cast<double>(body.size());
  const double missing = period - common;
  const double added = static_cast<double>(other.size()) - common;
  RC_ASSERT(std::min(missing, added) <= likeness.replaced * period);
  RC_ASSERT(std::max(missing, added) <= likeness.added * period);
}

// Of two alignments with the fewest edits one may pair fewer kernels: one less for each that is
// replaced, no more.
RC_GTEST_PROP(Likeness, IterationsThatHaveMuchInCommonAreAlike, ()) {
  const Kernels body = any_body();
  const Kernels other = edited_kernels(body);
  const Likeness likeness = any_likeness();
  const std::uint32_t common = common_kernels(body, other);
  const auto period = static_cast<double>(body.size());
  const double missing = period - common;
  const double added = static_cast<double>(other.size()) - common;
  const double replaced = std::min(missing, added);
  RC_PRE(2 * replaced <= likeness.replaced * period);
  RC_PRE(std::max(missing, added) + replaced <= likeness.added * period);
  RC_ASSERT(distance_if_alike(likeness, body, other) == slow_edits(body, other));
}

}  // namespace
}  // namespace lockstep::analysis::cycles
