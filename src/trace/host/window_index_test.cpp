// The windows that are open at a time, against reading all of them.
#include "trace/host/window_index.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::trace {
namespace {

using Numbered = Window<int>;
using NumberedIndex = WindowIndex<int>;

std::vector<int> items_in(const NumberedIndex& index, Time first, Time last) {
  std::vector<int> items;
  index.for_each_in(first, last, [&](const Numbered& window) { items.push_back(window.item); });
  return items;
}

TEST(WindowIndex, OfNothingHasNothing) {
  const NumberedIndex index;
  EXPECT_EQ(index.count_at(Time{0}), 0U);
  EXPECT_EQ(index.innermost_at(Time{0}), nullptr);
  EXPECT_TRUE(items_in(index, Time{0}, Time{9}).empty());
}

TEST(WindowIndex, AWindowIsOpenFromItsStartUntilBeforeItsEnd) {
  const NumberedIndex index({{Time{10}, Time{20}, 1}});
  EXPECT_EQ(index.innermost_at(Time{9}), nullptr);
  EXPECT_EQ(index.innermost_at(Time{10})->item, 1);
  EXPECT_EQ(index.innermost_at(Time{19})->item, 1);
  EXPECT_EQ(index.innermost_at(Time{20}), nullptr);
}

TEST(WindowIndex, AnEmptyWindowIsNeverOpen) {
  const NumberedIndex index({{Time{10}, Time{10}, 1}});
  EXPECT_EQ(index.count_at(Time{10}), 0U);
  EXPECT_EQ(index.innermost_at(Time{10}), nullptr);
  EXPECT_TRUE(items_in(index, Time{0}, Time{20}).empty());
}

TEST(WindowIndex, OfSeveralThatBeginTogetherTheShortestIsTheInnermost) {
  const NumberedIndex index({{Time{10}, Time{15}, 1}, {Time{10}, Time{60}, 2}});
  EXPECT_EQ(index.innermost_at(Time{12})->item, 1);
  EXPECT_EQ(index.innermost_at(Time{15})->item, 2);
  EXPECT_EQ(items_in(index, Time{12}, Time{12}), (std::vector{2, 1}));
}

TEST(WindowIndex, WindowsThatOverlapWithoutNestingAreOpenTogether) {
  const NumberedIndex index({{Time{0}, Time{50}, 1}, {Time{30}, Time{80}, 2}});
  EXPECT_EQ(index.count_at(Time{40}), 2U);
  EXPECT_EQ(index.innermost_at(Time{40})->item, 2);
  EXPECT_EQ(items_in(index, Time{60}, Time{90}), std::vector{2});
}

std::vector<Numbered> any_windows() {
  std::vector<Numbered> windows;
  const int count = *rc::gen::inRange(0, 40);
  for (int i = 0; i < count; ++i) {
    const Time start{*rc::gen::inRange(0, 60)};
    windows.push_back({start, start + Time{*rc::gen::inRange(0, 30)}, i});
  }
  return windows;
}

RC_GTEST_PROP(WindowIndexProperty, AnswersAsReadingAllDoes, ()) {
  std::vector<Numbered> windows = any_windows();
  const NumberedIndex index(windows);
  std::ranges::sort(windows, std::less<Numbered>());
  for (int t = -1; t < 92; ++t) {
    const Time at{t};
    std::vector<int> open;
    for (const Numbered& one : windows) {
      if (one.start <= at && at < one.end) open.push_back(one.item);
    }
    RC_ASSERT(index.count_at(at) == open.size());
    RC_ASSERT(items_in(index, at, at) == open);
    const Numbered* const innermost = index.innermost_at(at);
    RC_ASSERT((innermost == nullptr) == open.empty());
    if (innermost != nullptr) RC_ASSERT(innermost->item == open.back());
  }
}

RC_GTEST_PROP(WindowIndexProperty, FindsWhatIsOpenDuringAStretch, ()) {
  std::vector<Numbered> windows = any_windows();
  const NumberedIndex index(windows);
  std::ranges::sort(windows, std::less<Numbered>());
  const Time first{*rc::gen::inRange(0, 60)};
  const Time last = first + Time{*rc::gen::inRange(0, 30)};
  std::vector<int> met;
  for (const Numbered& one : windows) {
    if (one.start < one.end && one.start <= last && one.end > first) met.push_back(one.item);
  }
  RC_ASSERT(items_in(index, first, last) == met);
}

}  // namespace
}  // namespace lockstep::trace
