// Claims on the cells of a lane, and a comparison with counting picosecond by picosecond.
#include "report/kernel/lane_cells.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace lockstep::report::kernel {
namespace {

using Cells = std::vector<std::optional<std::uint32_t>>;

Cells cells(const std::vector<CellRegion>& regions, std::int64_t length, std::size_t columns) {
  return cells_of_lane(regions, Time{0}, Time{length}, columns);
}

TEST(LaneCells, ShowTheEventThatTakesMostOfThem) {
  EXPECT_EQ(cells({{{0}, {11}, 1}, {{11}, {30}, 2}}, 30, 3), (Cells{1, 2, 2}));
}

// Of events that are all as long, the first is shown; each is looked up, not looked for.
TEST(LaneCells, TakeEventsByTheThousands) {
  std::vector<CellRegion> regions;
  constexpr std::uint32_t kEvents = 60'000;
  for (std::uint32_t i = 0; i < 10 * kEvents; ++i) {
    regions.push_back({{std::int64_t{i} * 2}, {std::int64_t{i} * 2 + 1}, i % kEvents});
  }
  EXPECT_EQ(cells(regions, 20 * std::int64_t{kEvents}, 2), (Cells{0, 0}));
}

TEST(LaneCells, ShowTheInnerOfNestedRegions) {
  EXPECT_EQ(cells({{{0}, {40}, 1}, {{10}, {20}, 2}}, 40, 4), (Cells{1, 2, 1, 1}));
}

TEST(LaneCells, ShowTheLaterOfCrossingRegions) {
  EXPECT_EQ(cells({{{0}, {20}, 1}, {{10}, {30}, 2}}, 40, 4), (Cells{1, 2, 2, std::nullopt}));
}

TEST(LaneCells, ShowNothingWhereTooLittleIsInside) {
  EXPECT_EQ(cells({{{0}, {1}, 1}, {{8}, {10}, 1}}, 16, 2), (Cells{1, 1}));
  EXPECT_EQ(cells({{{0}, {1}, 1}}, 18, 2), (Cells{std::nullopt, std::nullopt}));
}

TEST(LaneCells, ClipRegionsToWhatIsDrawn) {
  EXPECT_EQ(cells({{{-50}, {5}, 1}, {{15}, {500}, 2}}, 20, 2), (Cells{1, 2}));
}

TEST(LaneCells, AreEmptyForNoTime) {
  EXPECT_EQ(cells({{{0}, {5}, 1}}, 0, 3), Cells(3));
  EXPECT_EQ(cells({}, 5, 2), Cells(2));
}

// Every picosecond to the region that began last and is still open.
Cells slow_cells(const std::vector<CellRegion>& regions, std::int64_t length, std::size_t columns) {
  std::vector<std::vector<std::pair<std::uint32_t, int>>> tallies(columns);
  std::vector<int> sizes(columns);
  for (std::int64_t t = 0; t < length; ++t) {
    std::size_t cell = columns - 1;
    while (length * static_cast<std::int64_t>(cell) / static_cast<std::int64_t>(columns) > t) {
      --cell;
    }
    ++sizes[cell];
    const CellRegion* top = nullptr;
    for (const CellRegion& region : regions) {
      if (region.start.ps <= t && t < region.end.ps) top = &region;
    }
    if (top == nullptr) continue;
    auto& tally = tallies[cell];
    const auto found =
        std::ranges::find(tally, top->event, [](const auto& one) { return one.first; });
    if (found == tally.end()) {
      tally.emplace_back(top->event, 1);
    } else {
      ++found->second;
    }
  }
  Cells out(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    int covered = 0;
    int most = 0;
    for (const auto& [event, time] : tallies[i]) {
      covered += time;
      if (time > most) out[i] = event;
      most = std::max(most, time);
    }
    if (covered * kLeastPartOfCell < sizes[i]) out[i].reset();
  }
  return out;
}

RC_GTEST_PROP(LaneCells, AreThoseOfCountingEveryPicosecond, ()) {
  const auto length = *rc::gen::inRange<std::int64_t>(1, 200);
  const auto columns = *rc::gen::inRange<std::size_t>(1, 12);
  const auto count = *rc::gen::inRange(0, 14);
  std::vector<CellRegion> regions;
  for (int i = 0; i < count; ++i) {
    const auto start = *rc::gen::inRange<std::int64_t>(-20, 210);
    const auto duration = *rc::gen::inRange<std::int64_t>(0, 120);
    regions.push_back({{start}, {start + duration}, *rc::gen::inRange(0U, 4U)});
  }
  std::ranges::stable_sort(regions, {}, [](const CellRegion& region) {
    return std::pair(region.start, Time{-region.end.ps});
  });
  RC_ASSERT(cells(regions, length, columns) == slow_cells(regions, length, columns));
}

}  // namespace
}  // namespace lockstep::report::kernel
