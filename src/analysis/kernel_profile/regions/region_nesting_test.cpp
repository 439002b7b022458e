// Pairing and nesting against a slow version that compares every two regions.
#include "analysis/kernel_profile/regions/region_nesting.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "analysis/kernel_profile/profile_for_test.h"
#include "analysis/kernel_profile/regions/lane_regions.h"

namespace lockstep::analysis::kernel_profile {
namespace {

struct SlowRegion {
  LaneRegion region;
  std::int64_t begin_place = 0;
  std::int64_t end_place = 0;
};

bool encloses(const SlowRegion& outer, const SlowRegion& inner) {
  const LaneRegion& o = outer.region;
  const LaneRegion& i = inner.region;
  const bool by_program =
      outer.begin_place < inner.begin_place && outer.end_place > inner.end_place;
  if (i.begin == i.end) return by_program;
  if (o.begin == i.begin && o.end == i.end) return outer.begin_place < inner.begin_place;
  return o.begin <= i.begin && i.end <= o.end;
}

bool cross(const LaneRegion& a, const LaneRegion& b) {
  const auto from_left = [](const LaneRegion& x, const LaneRegion& y) {
    return x.begin < y.begin && y.begin < x.end && x.end < y.end;
  };
  return from_left(a, b) || from_left(b, a);
}

void nest_slowly(std::vector<SlowRegion>& regions) {
  for (SlowRegion& one : regions) {
    one.region.depth = 0;
    for (const SlowRegion& other : regions) {
      if (&one == &other) continue;
      one.region.depth += encloses(other, one) ? 1 : 0;
      one.region.is_crossing |= cross(one.region, other.region);
    }
  }
}

// Brackets with a stack per event, as plainly as can be.
std::vector<SlowRegion> pair_slowly(const std::vector<trace::KernelRecord>& records) {
  std::vector<SlowRegion> regions;
  std::map<std::uint32_t, std::vector<std::size_t>> stacks;
  const auto count = static_cast<std::int64_t>(records.size());
  const std::int64_t first = records.empty() ? 0 : records.front().ticks;
  const std::int64_t last = records.empty() ? 0 : records.back().ticks;
  const auto end = [&](std::uint32_t event, std::int64_t at, std::int64_t place) {
    auto& stack = stacks[event];
    if (stack.empty()) {
      LaneRegion region{.begin = first, .end = at, .event = event};
      region.status = RegionStatus::kUnmatchedEnd;
      regions.push_back({region, -1 - place, place});
      return;
    }
    regions[stack.back()].region.end = at;
    regions[stack.back()].region.status = RegionStatus::kOk;
    regions[stack.back()].end_place = place;
    stack.pop_back();
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const trace::KernelRecord& record = records[static_cast<std::size_t>(i)];
    if (record.type == trace::RecordType::kEnd) end(record.event, record.ticks, 2 * i);
    if (record.type == trace::RecordType::kSwitch) end(record.payload, record.ticks, 2 * i);
    if (record.type == trace::RecordType::kBegin || record.type == trace::RecordType::kSwitch) {
      LaneRegion region{.begin = record.ticks, .end = last, .event = record.event};
      region.status = RegionStatus::kUnmatchedBegin;
      stacks[record.event].push_back(regions.size());
      regions.push_back({region, 2 * i + 1, 4 * count - i});
    }
  }
  nest_slowly(regions);
  return regions;
}

auto facts_of(const LaneRegion& region) {
  return std::tuple(region.begin, region.end, region.event, region.depth, region.is_crossing,
                    region.status);
}

using Facts = decltype(facts_of(LaneRegion{}));

std::vector<Facts> sorted_facts(const std::vector<SlowRegion>& regions) {
  std::vector<Facts> facts;
  for (const SlowRegion& slow : regions) facts.push_back(facts_of(slow.region));
  std::ranges::sort(facts);
  return facts;
}

std::vector<Facts> sorted_facts(const std::vector<LaneRegion>& regions) {
  std::vector<Facts> facts;
  for (const LaneRegion& region : regions) facts.push_back(facts_of(region));
  std::ranges::sort(facts);
  return facts;
}

// In order of time, with many edges at one tick.
std::vector<trace::KernelRecord> any_records(std::uint32_t events) {
  const auto types = rc::gen::element(trace::RecordType::kBegin, trace::RecordType::kBegin,
                                      trace::RecordType::kEnd, trace::RecordType::kEnd,
                                      trace::RecordType::kSwitch);
  auto records =
      *rc::gen::container<std::vector<trace::KernelRecord>>(rc::gen::build<trace::KernelRecord>(
          rc::gen::set(&trace::KernelRecord::ticks, rc::gen::inRange(0, 3)),
          rc::gen::set(&trace::KernelRecord::event, rc::gen::inRange(0U, events)),
          rc::gen::set(&trace::KernelRecord::payload, rc::gen::inRange(0U, events)),
          rc::gen::set(&trace::KernelRecord::type, types)));
  std::int64_t tick = 100;
  for (trace::KernelRecord& record : records) record.ticks = tick += record.ticks;
  return records;
}

LaneTimeline pair(const std::vector<trace::KernelRecord>& records) {
  trace::KernelLane lane;
  lane.written = records.size();
  LaneTimeline timeline;
  Diagnostics findings;
  pair_regions(lane, records, {}, timeline, findings);
  return timeline;
}

RC_GTEST_PROP(RegionNesting, PairsNestsAndCrossesAsEveryTwoRegionsDo, ()) {
  const auto records = any_records(*rc::gen::element(1U, 2U, 5U));
  const LaneTimeline timeline = pair(records);
  RC_ASSERT(sorted_facts(timeline.regions) == sorted_facts(pair_slowly(records)));
}

RC_GTEST_PROP(RegionNesting, RegionsComeByBeginAndEnclosingOnesFirst, ()) {
  const auto records = any_records(3);
  const LaneTimeline timeline = pair(records);
  RC_ASSERT(std::ranges::is_sorted(timeline.regions, {}, &LaneRegion::begin));
  // Behind another in the order, none of them may enclose it by time alone.
  for (std::size_t i = 0; i < timeline.regions.size(); ++i) {
    for (std::size_t j = i + 1; j < timeline.regions.size(); ++j) {
      const LaneRegion& before = timeline.regions[i];
      const LaneRegion& after = timeline.regions[j];
      const bool is_inside = after.begin <= before.begin && after.end > before.end;
      RC_ASSERT(!is_inside || before.begin == before.end);
    }
  }
}

RC_GTEST_PROP(RegionNesting, RegionRecordsInAnyOrderNestAsEveryTwoDo, ()) {
  const auto point = rc::gen::inRange<std::int64_t>(0, 30);
  const auto spans = *rc::gen::container<std::vector<std::pair<std::int64_t, std::int64_t>>>(
      rc::gen::pair(point, point));
  std::vector<SlowRegion> slow;
  for (const auto& [begin, end] : spans) {
    slow.push_back({{.begin = std::min(begin, end), .end = std::max(begin, end)}, 0, 0});
  }
  // A lane writes regions as they end.
  std::ranges::stable_sort(slow, {}, [](const SlowRegion& s) { return s.region.end; });
  std::vector<trace::KernelRecord> records;
  for (std::size_t i = 0; i < slow.size(); ++i) {
    const LaneRegion& region = slow[i].region;
    records.push_back(
        region_of(0, region.begin, static_cast<std::uint32_t>(region.end - region.begin)));
    slow[i].end_place = static_cast<std::int64_t>(i);
  }
  std::vector<SlowRegion*> by_begin;
  for (SlowRegion& one : slow) by_begin.push_back(&one);
  std::ranges::sort(by_begin, {}, [](const SlowRegion* s) {
    const bool is_empty = s->region.begin == s->region.end;
    return std::tuple(s->region.begin, -s->region.end, is_empty ? s->end_place : -s->end_place);
  });
  for (std::size_t i = 0; i < by_begin.size(); ++i)
    by_begin[i]->begin_place = static_cast<std::int64_t>(i);
  nest_slowly(slow);
  const LaneTimeline timeline = pair(records);
  RC_ASSERT(sorted_facts(timeline.regions) == sorted_facts(slow));
}

}  // namespace
}  // namespace lockstep::analysis::kernel_profile
