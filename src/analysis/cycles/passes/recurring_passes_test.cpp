// Passes that never repeat and hold no loop, from the distances at which kernels come again.
#include "analysis/cycles/passes/recurring_passes.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "analysis/cycles/stream/kernel_stream_for_test.h"

namespace lockstep::analysis::cycles {
namespace {

constexpr double kFewEdits = 0.05;

// 61 kernels, of which three may differ.
const std::string kLongPass = "abcdefghijklmnopqrstuvwxyz0123456789-+*/=.,;:!()[]{}<>|ABCDEF";

// The pass with a foreign kernel at each of the places, one after the other.
std::string passes_with_foreign(const std::vector<std::size_t>& places) {
  std::string letters;
  for (const std::size_t place : places) {
    letters += kLongPass;
    letters[letters.size() - kLongPass.size() + place] = '?';
  }
  return letters;
}

std::optional<FoundLoop> pass_in(const TestStream& test, const std::vector<FoundLoop>& loops = {}) {
  return pass_by_recurrence({test.stream, 0, static_cast<std::uint32_t>(test.stream.size())}, loops,
                            kFewEdits);
}

std::optional<FoundLoop> pass_in(const std::string& letters) {
  TestStream test;
  test.add_letters(letters);
  return pass_in(test);
}

// So many kernels that come once.
void add_once(std::uint32_t count, TestStream& test) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::int64_t>(test.stream.size());
    test.add("once " + std::to_string(at), 10 * at, 4);
  }
}

TEST(RecurringPasses, AreAsLongAsTheDistanceThatMostKernelsComeAgainAt) {
  const auto pass = pass_in(passes_with_foreign({7, 33, 50, 12}));
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->period, 61U);
  EXPECT_TRUE(pass->holds_loop);
  ASSERT_EQ(pass->iterations.size(), 1U) << "growth does the rest";
  EXPECT_EQ(pass->iterations.front().size(), 61U);
  EXPECT_EQ(pass->body_start, pass->start());
}

TEST(RecurringPasses, AreFoundInTheStretchOnly) {
  TestStream test;
  add_once(300, test);
  test.add_letters(passes_with_foreign({7, 33, 50, 12}));
  add_once(300, test);
  const auto pass = pass_by_recurrence({test.stream, 300, 300 + 4 * 61}, {}, kFewEdits);
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->period, 61U);
  EXPECT_GE(pass->start(), 300U);
  EXPECT_LE(pass->end(), 300U + 3 * 61);
}

TEST(RecurringPasses, AreNotLookedForWhereLoopsCoverHalf) {
  TestStream test;
  test.add_letters(passes_with_foreign({7, 33, 50, 12}));
  FoundLoop loop;
  loop.iterations = {{0, 61}, {61, 122}};
  EXPECT_FALSE(pass_in(test, {loop}));
  loop.iterations.back().end = 121;
  EXPECT_TRUE(pass_in(test, {loop}));
}

TEST(RecurringPasses, AreNoneWhereNoDistanceStandsOut) {
  TestStream none;
  add_once(200, none);
  EXPECT_FALSE(pass_in(none));
  // Two equal passes among so many other kernels that less than a tenth comes again.
  TestStream few;
  few.add_letters(kLongPass + kLongPass);
  add_once(400, few);
  EXPECT_TRUE(pass_in(few));
  add_once(100, few);
  EXPECT_FALSE(pass_in(few));
}

TEST(RecurringPasses, AreNoneWhereWhatLiesSoFarApartDiffers) {
  // Half of each pass comes again, the other half never.
  TestStream test;
  for (int i = 0; i < 5; ++i) {
    test.add_letters(kLongPass.substr(0, 30));
    add_once(31, test);
  }
  EXPECT_FALSE(pass_in(test));
}

TEST(RecurringPasses, MayDifferByTheToleranceAndNoMore) {
  EXPECT_TRUE(pass_in(passes_with_foreign({7, 33})));
  // Four of 61 at each distance, wherever one begins; three are allowed.
  std::string letters = kLongPass + kLongPass;
  for (const std::size_t place : {10U, 25U, 40U}) letters[61 + place] = '?';
  EXPECT_TRUE(pass_in(letters));
  letters[61 + 55] = '?';
  EXPECT_FALSE(pass_in(letters));
}

TEST(RecurringPasses, AreTriedAtSeveralPlaces) {
  std::string letters = passes_with_foreign({7, 33, 50, 12, 20});
  for (const std::size_t place : {18U, 25U, 32U, 39U}) letters[place] = '?';
  const auto pass = pass_in(letters);
  ASSERT_TRUE(pass);
  EXPECT_EQ(pass->period, 61U);
  EXPECT_GT(pass->start(), 18U) << "in front too much differs";
}

TEST(RecurringPasses, AreNotShorterThanOneEditAllows) {
  std::string letters;
  for (int i = 0; i < 12; ++i) letters += kLongPass.substr(0, 19);
  const auto pass = pass_in(letters);
  EXPECT_FALSE(pass) << "nineteen kernels, one of twenty may differ";
  letters.clear();
  for (int i = 0; i < 12; ++i) letters += kLongPass.substr(0, 20);
  EXPECT_TRUE(pass_in(letters));
}

TEST(RecurringPasses, NeedTwoOfThem) {
  EXPECT_FALSE(pass_in(kLongPass));
  EXPECT_FALSE(pass_in(kLongPass + kLongPass.substr(0, 60))) << "cut off";
  EXPECT_TRUE(pass_in(kLongPass + kLongPass));
}

TEST(RecurringPasses, OfEqualVotesTheShorterDistanceWins) {
  // A stretch that comes again after 30, and one after 40.
  const std::string one = kLongPass.substr(0, 30);
  const std::string other = "GHIJKLMNOPQRSTUVWXYZ" + kLongPass.substr(40, 20);
  for (const std::string& letters :
       {one + one + other + other.substr(0, 30), other + other.substr(0, 30) + one + one}) {
    const auto pass = pass_in(letters);
    ASSERT_TRUE(pass) << letters;
    EXPECT_EQ(pass->period, 30U) << letters;
  }
}

}  // namespace
}  // namespace lockstep::analysis::cycles
