// Lanes of slices, against a slow and obvious first fit.
#include "formats/perfetto/map/slice_lanes.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace lockstep::formats::perfetto {
namespace {

std::vector<SliceEdge> edges_of(std::vector<Slice> slices) {
  std::vector<SliceEdge> edges;
  assign_lanes(std::move(slices), [&](const SliceEdge& edge) { edges.push_back(edge); });
  return edges;
}

std::map<std::uint32_t, std::uint32_t> lanes_of(std::vector<Slice> slices) {
  std::map<std::uint32_t, std::uint32_t> lanes;
  for (const SliceEdge& edge : edges_of(std::move(slices))) lanes[edge.row] = edge.lane;
  return lanes;
}

// The same by looking at everything that was put on a lane before.
std::map<std::uint32_t, std::uint32_t> slow_lanes_of(std::vector<Slice> slices) {
  std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
    return std::tuple(a.begin, -a.end, a.row) < std::tuple(b.begin, -b.end, b.row);
  });
  std::vector<std::vector<Slice>> lanes;
  std::map<std::uint32_t, std::uint32_t> answer;
  for (const Slice& slice : slices) {
    const auto lane = std::ranges::find_if(lanes, [&](const std::vector<Slice>& others) {
      return std::ranges::all_of(others, [&](const Slice& other) {
        return other.end <= slice.begin || slice.end <= other.end;
      });
    });
    answer[slice.row] = static_cast<std::uint32_t>(lane - lanes.begin());
    if (lane == lanes.end()) {
      lanes.push_back({slice});
    } else {
      lane->push_back(slice);
    }
  }
  return answer;
}

TEST(SliceLanes, NoSlicesHaveNoEdges) { EXPECT_TRUE(edges_of({}).empty()); }

TEST(SliceLanes, TouchingSlicesShareALaneAndEndComesFirst) {
  const std::vector<SliceEdge> edges = edges_of({{0, 5, 0}, {5, 9, 1}});
  ASSERT_EQ(edges.size(), 4U);
  EXPECT_EQ(edges[1].row, 0U);
  EXPECT_FALSE(edges[1].is_begin);
  EXPECT_EQ(edges[2].row, 1U);
  EXPECT_TRUE(edges[2].is_begin);
  EXPECT_EQ(edges[2].lane, 0U);
}

TEST(SliceLanes, EqualSlicesNestByRow) {
  const std::vector<SliceEdge> edges = edges_of({{0, 5, 1}, {0, 5, 0}});
  std::vector<std::uint32_t> rows;
  for (const SliceEdge& edge : edges) {
    rows.push_back(edge.row);
    EXPECT_EQ(edge.lane, 0U);
  }
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 1, 0}));
}

TEST(SliceLanes, ALaneIsUsedAgainWhenItIsFree) {
  const auto lanes = lanes_of({{0, 10, 0}, {5, 15, 1}, {12, 20, 2}, {16, 18, 3}});
  EXPECT_EQ(lanes.at(1), 1U);
  EXPECT_EQ(lanes.at(2), 0U);
  EXPECT_EQ(lanes.at(3), 0U);
}

TEST(SliceLanes, ManyMutuallyOverlappingSlicesTakeALaneEach) {
  constexpr std::uint32_t kCount = 1'000;
  std::vector<Slice> slices;
  for (std::uint32_t i = 0; i < kCount; ++i) slices.push_back({i, kCount + i, i});
  std::uint32_t highest = 0;
  assign_lanes(std::move(slices),
               [&](const SliceEdge& edge) { highest = std::max(highest, edge.lane); });
  EXPECT_EQ(highest, kCount - 1);
}

TEST(SliceLanes, AgreeWithTheObviousFirstFit) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Slice> slices;
    const auto times = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 40), rc::gen::inRange(0, 15)));
    for (const auto& [begin, length] : times) {
      slices.push_back({begin, begin + length, static_cast<std::uint32_t>(slices.size())});
    }
    RC_ASSERT(lanes_of(slices) == slow_lanes_of(slices));
  }));
}

TEST(SliceLanes, EdgesComeByTimeAndNestOnEachLane) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Slice> slices;
    const auto times = *rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 40), rc::gen::inRange(0, 15)));
    for (const auto& [begin, length] : times) {
      slices.push_back({begin, begin + length, static_cast<std::uint32_t>(slices.size())});
    }
    const std::vector<SliceEdge> edges = edges_of(slices);
    RC_ASSERT(edges.size() == 2 * slices.size());
    RC_ASSERT(std::ranges::is_sorted(edges, {}, &SliceEdge::time));
    std::map<std::uint32_t, std::vector<std::uint32_t>> open;
    for (const SliceEdge& edge : edges) {
      const Slice& slice = slices[edge.row];
      RC_ASSERT(edge.time == (edge.is_begin ? slice.begin : slice.end));
      if (edge.is_begin) {
        open[edge.lane].push_back(edge.row);
        continue;
      }
      RC_ASSERT(!open[edge.lane].empty());
      RC_ASSERT(open[edge.lane].back() == edge.row);
      open[edge.lane].pop_back();
    }
  }));
}

}  // namespace
}  // namespace lockstep::formats::perfetto
