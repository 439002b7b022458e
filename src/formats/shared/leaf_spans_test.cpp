// Spans that contain others.
#include "formats/shared/leaf_spans.h"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace lockstep::formats::shared {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using Spans = std::vector<std::pair<std::int64_t, std::int64_t>>;  // start and duration

trace::EventTable table_of(const Spans& spans) {
  trace::EventTable events;
  for (const auto& [start, duration] : spans) {
    trace::Event row;
    row.start = Time{start};
    row.duration = Time{duration};
    events.add(row);
  }
  return events;
}

std::vector<std::uint32_t> around(const Spans& spans) {
  std::vector<std::uint32_t> rows(spans.size());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows_around_others(table_of(spans), std::move(rows));
}

TEST(LeafSpans, ALoopIsAroundItsBody) {
  EXPECT_THAT(around({{0, 100}, {10, 20}, {40, 20}}), ElementsAre(0U));
  EXPECT_THAT(around({{0, 10}, {10, 10}, {20, 10}}), IsEmpty());
}

TEST(LeafSpans, WhatIsInsideNeedNotBeTheNext) {
  // The second reaches beyond the first; the third lies in both.
  EXPECT_THAT(around({{1, 10}, {6, 10}, {7, 2}}), UnorderedElementsAre(0U, 1U));
}

TEST(LeafSpans, OfEqualOnesTheLastIsTheLeaf) {
  EXPECT_THAT(around({{5, 5}, {5, 5}, {5, 5}}), UnorderedElementsAre(0U, 1U));
}

TEST(LeafSpans, MarksAreNothingInside) { EXPECT_THAT(around({{0, 10}, {5, 0}}), IsEmpty()); }

TEST(LeafSpansProperty, TheSweepFindsWhatComparingAllPairsFinds) {
  EXPECT_TRUE(rc::check([] {
    const auto spans = *rc::gen::container<Spans>(rc::gen::pair(
        rc::gen::inRange<std::int64_t>(0, 30), rc::gen::inRange<std::int64_t>(0, 12)));
    std::vector<std::uint32_t> expected;
    for (std::uint32_t a = 0; a < spans.size(); ++a) {
      const auto [start, duration] = spans[a];
      for (std::uint32_t b = 0; b < spans.size(); ++b) {
        const auto [other, length] = spans[b];
        const bool is_equal = other == start && length == duration;
        if (a == b || duration == 0 || length == 0 || (is_equal && b < a)) continue;
        if (other < start || other + length > start + duration) continue;
        expected.push_back(a);
        break;
      }
    }
    std::vector<std::uint32_t> found = around(spans);
    std::ranges::sort(found);
    RC_ASSERT(found == expected);
  }));
}

}  // namespace
}  // namespace lockstep::formats::shared
