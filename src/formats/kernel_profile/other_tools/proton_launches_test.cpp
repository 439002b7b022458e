// Launches of Proton's scopes in the order of Proton and in any other.
#include "formats/kernel_profile/other_tools/proton_launches.h"

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace lockstep::formats::kernel_profile {
namespace {

using testing::ElementsAre;

struct Scopes {
  int launches = 3;
  int blocks = 32;
  int warps = 2;
  int rounds = 1;                   // how often a warp goes through its scopes
  std::int64_t distance = 100'000;  // from launch to launch
  std::uint32_t seed = 1;           // of multiprocessors and ends of blocks
};

// As Proton writes them: by launch, multiprocessor, block, warp and time.
std::vector<ProtonScope> written(const Scopes& what) {
  static constexpr std::array<std::string_view, 3> kNames = {"load", "add", "store"};
  std::minstd_rand random(what.seed);
  std::vector<ProtonScope> scopes;
  for (int launch = 0; launch < what.launches; ++launch) {
    std::vector<ProtonScope> all;
    for (int block = 0; block < what.blocks; ++block) {
      ProtonScope scope;
      scope.block = {"add", static_cast<std::int32_t>(random() % 4),
                     static_cast<std::uint64_t>(block)};
      scope.finalization = 128 + 32 * (random() % 4);
      scope.megahertz = 1000;
      const auto start = static_cast<std::int64_t>(launch * what.distance + random() % 50);
      for (int warp = 0; warp < what.warps; ++warp) {
        scope.warp = static_cast<std::uint32_t>(warp);
        scope.begin = start + static_cast<std::int64_t>(random() % 20);
        for (std::size_t i = 0; i < kNames.size() * static_cast<std::size_t>(what.rounds); ++i) {
          scope.name = kNames[i % kNames.size()];
          scope.length = 10 + static_cast<std::int64_t>(random() % 60);
          all.push_back(scope);
          scope.begin += scope.length + static_cast<std::int64_t>(random() % 9);
        }
      }
    }
    std::ranges::stable_sort(all, {}, &ProtonScope::place);
    scopes.insert(scopes.end(), all.begin(), all.end());
  }
  for (std::size_t i = 0; i < scopes.size(); ++i) scopes[i].row = i;
  return scopes;
}

// The launches of the scopes by the rows that they had when Proton wrote them.
std::vector<std::uint32_t> by_row(std::span<const ProtonScope> scopes,
                                  const std::vector<std::uint32_t>& launches) {
  std::vector<std::uint32_t> rows(scopes.size());
  for (std::size_t i = 0; i < scopes.size(); ++i) rows[scopes[i].row] = launches[i];
  return rows;
}

TEST(ProtonLaunches, ScopesInTheOrderOfTheirTimesAreOfTheSameLaunches) {
  const std::vector<ProtonScope> scopes = written({});
  const ProtonLaunches told = tell_launches(scopes);
  EXPECT_TRUE(told.is_in_order);
  EXPECT_EQ(told.of_scope.back(), 2U);
  std::vector<ProtonScope> sorted = scopes;
  std::ranges::stable_sort(sorted, {}, &ProtonScope::begin);
  const ProtonLaunches again = tell_launches(sorted);
  EXPECT_FALSE(again.is_in_order);
  EXPECT_TRUE(again.is_told);
  EXPECT_EQ(by_row(sorted, again.of_scope), told.of_scope);
}

TEST(ProtonLaunches, AFewBlocksThatGoRoundDoNotTellTheirLaunches) {
  std::vector<ProtonScope> scopes = written({.launches = 2, .blocks = 2, .rounds = 3});
  EXPECT_TRUE(tell_launches(scopes).is_told);
  std::ranges::stable_sort(scopes, {}, &ProtonScope::begin);
  EXPECT_FALSE(tell_launches(scopes).is_told);
}

TEST(ProtonLaunches, ThatOverlapAreToldByTheirOrderOnly) {
  // Cycles that are counted as 1 ns reach into the next launch.
  std::vector<ProtonScope> scopes = written({.distance = 100});
  EXPECT_TRUE(tell_launches(scopes).is_told);
  EXPECT_EQ(tell_launches(scopes).of_scope.back(), 2U);
  std::ranges::stable_sort(scopes, {}, &ProtonScope::begin);
  EXPECT_FALSE(tell_launches(scopes).is_told);
}

TEST(ProtonLaunches, WithoutATimerAreToldByTheirOrderOnly) {
  std::vector<ProtonScope> scopes = written({.distance = 0});
  for (ProtonScope& scope : scopes) scope.megahertz = 0;
  EXPECT_TRUE(tell_launches(scopes).is_told);
  EXPECT_EQ(tell_launches(scopes).of_scope.back(), 2U);
  std::ranges::stable_sort(scopes, {}, &ProtonScope::begin);
  EXPECT_FALSE(tell_launches(scopes).is_told);
}

TEST(ProtonLaunches, OneLaunchOfAFewWarpsIsOneInAnyOrder) {
  std::vector<ProtonScope> scopes = written({.launches = 1, .blocks = 1, .warps = 4});
  std::ranges::stable_sort(scopes, {}, &ProtonScope::begin);
  const ProtonLaunches told = tell_launches(scopes);
  EXPECT_TRUE(told.is_told);
  EXPECT_THAT(told.of_scope, testing::Each(0U));
}

TEST(ProtonLaunches, OfSeveralKernelsAreCountedByTheirTimes) {
  std::vector<ProtonScope> scopes = written({.launches = 2});
  std::vector<ProtonScope> others = written({.launches = 2, .seed = 7});
  for (ProtonScope& scope : others) {
    scope.block.kernel = "mul";
    scope.begin += 50'000;
    scope.row += scopes.size();
  }
  scopes.insert(scopes.end(), others.begin(), others.end());
  std::ranges::stable_sort(scopes, {}, &ProtonScope::begin);
  const ProtonLaunches told = tell_launches(scopes);
  EXPECT_TRUE(told.is_told);
  std::map<std::uint32_t, std::string_view> kernels;
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    kernels.emplace(told.of_scope[i], scopes[i].block.kernel);
  }
  EXPECT_THAT(kernels, ElementsAre(std::pair(0, "add"), std::pair(1, "mul"), std::pair(2, "add"),
                                   std::pair(3, "mul")));
}

RC_GTEST_PROP(ProtonLaunches, AnyOrderGivesTheSameLaunchesOrSaysThatItDoesNot, ()) {
  const Scopes what{.launches = *rc::gen::inRange(1, 6),
                    .blocks = *rc::gen::element(1, 2, 3, 8, 20, 40),
                    .warps = *rc::gen::inRange(1, 5),
                    .rounds = *rc::gen::inRange(1, 4),
                    .distance = *rc::gen::element<std::int64_t>(50, 300, 1000, 100'000),
                    .seed = *rc::gen::inRange<std::uint32_t>(1, 1000)};
  std::vector<ProtonScope> scopes = written(what);
  const int order = *rc::gen::inRange(0, 5);
  std::ranges::shuffle(scopes, std::minstd_rand(what.seed));
  if (order == 1) std::ranges::stable_sort(scopes, {}, &ProtonScope::begin);
  if (order == 2) std::ranges::stable_sort(scopes, std::ranges::greater{}, &ProtonScope::begin);
  if (order == 3)
    std::ranges::sort(scopes, {},
                      [](auto& scope) { return std::tuple(scope.place(), scope.begin); });
  if (order == 4)
    std::ranges::sort(scopes, {}, [](auto& scope) { return std::tuple(scope.warp, scope.begin); });
  const ProtonLaunches told = tell_launches(scopes);
  RC_CLASSIFY(told.is_told, "told");
  // One lane has no borders in any order (launch_may_be_several), and a few blocks that stand one
  // after the other look like one launch.
  const bool is_by_block = order == 3 || (order == 4 && what.blocks == 1);
  const bool is_like_one = what.blocks * what.warps == 1 || (is_by_block && what.blocks < 16);
  if (!told.is_told || is_like_one) return;
  std::vector<std::uint32_t> expected;
  const auto of_one = static_cast<std::size_t>(what.blocks * what.warps * what.rounds * 3);
  for (std::size_t i = 0; i < scopes.size(); ++i) {
    expected.push_back(static_cast<std::uint32_t>(i / of_one));
  }
  RC_ASSERT(by_row(scopes, told.of_scope) == expected);
}

}  // namespace
}  // namespace lockstep::formats::kernel_profile
