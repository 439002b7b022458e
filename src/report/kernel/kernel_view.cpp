// Words for lanes and times, and the choice of what a picture shows.
#include "report/kernel/kernel_view.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "analysis/kernel_profile/clocks/saturated_time.h"
#include "analysis/kernel_profile/regions/lane_markers.h"
#include "base/text.h"

namespace lockstep::report::kernel {
namespace {

// A common axis serves as long as the longest lane takes at least this part of it.
constexpr std::int64_t kLeastPartOfAxis = 4;

struct BlockLanes {
  std::size_t first = 0;  // in the summary's lanes
  std::size_t count = 0;
  Time start;
  Time end;
};

const analysis::kernel_profile::LaneResult* result_of(
    const analysis::kernel_profile::KernelSummary& summary, std::uint32_t lane) {
  if (lane < summary.lanes.size() && summary.lanes[lane].lane == lane) return &summary.lanes[lane];
  const auto found =
      std::ranges::find(summary.lanes, lane, &analysis::kernel_profile::LaneResult::lane);
  return found == summary.lanes.end() ? nullptr : &*found;
}

std::optional<std::uint32_t> longest_launch(
    const analysis::kernel_profile::KernelSummary& summary) {
  const auto longest = std::ranges::max_element(
      summary.launches, {}, [](const analysis::kernel_profile::LaunchResult& launch) {
        return std::pair(launch.lanes_seen > 0,
                         analysis::kernel_profile::time_between(launch.start, launch.end));
      });
  if (longest == summary.launches.end()) return std::nullopt;
  return longest->launch;
}

// Lanes lie by launch, block and group.
std::vector<BlockLanes> blocks_of(const KernelReport& report, std::uint32_t launch) {
  const std::vector<analysis::kernel_profile::LaneResult>& lanes = report.summary.lanes;
  std::vector<BlockLanes> blocks;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const trace::KernelLane& lane = report.lane(lanes[i].lane);
    if (lane.launch != launch) continue;
    const bool is_new = blocks.empty() ||
                        report.lane(lanes[blocks.back().first].lane).block != lane.block ||
                        blocks.back().first + blocks.back().count != i;
    if (is_new) blocks.push_back({i, 0, lanes[i].start, lanes[i].end});
    BlockLanes& block = blocks.back();
    ++block.count;
    block.start = std::min(block.start, lanes[i].start);
    block.end = std::max(block.end, lanes[i].end);
  }
  return blocks;
}

struct ChosenBlock {
  std::size_t index;
  PicturedBlock::Role role;
};

std::vector<ChosenBlock> chosen_blocks(const std::vector<BlockLanes>& blocks, std::size_t rows) {
  using Role = PicturedBlock::Role;
  std::vector<std::size_t> by_end(blocks.size());
  std::size_t lanes = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    by_end[i] = i;
    lanes += blocks[i].count;
  }
  std::ranges::stable_sort(by_end, {}, [&](std::size_t i) { return blocks[i].end; });
  // Of blocks that end together the first, as for the critical lane.
  const auto last_block = std::ranges::max_element(blocks, {}, &BlockLanes::end);
  const auto last = static_cast<std::size_t>(last_block - blocks.begin());
  const std::size_t median = by_end[(by_end.size() - 1) / 2];
  std::vector<ChosenBlock> chosen;
  if (lanes <= rows) {
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      chosen.push_back({i, i == last ? Role::kLast : i == median ? Role::kMedian : Role::kOther});
    }
    return chosen;
  }
  chosen.push_back({last, Role::kLast});
  if (median != last) chosen.push_back({median, Role::kMedian});
  if (last != 0 && median != 0) chosen.push_back({0, Role::kFirst});
  return chosen;
}

// The lanes of `block`, at most `room`; the one that ends last is never left out.
PicturedBlock pictured(const KernelReport& report, const BlockLanes& block,
                       PicturedBlock::Role role, std::size_t room) {
  const std::vector<analysis::kernel_profile::LaneResult>& lanes = report.summary.lanes;
  PicturedBlock out;
  out.block = report.lane(lanes[block.first].lane).block;
  out.role = role;
  out.start = block.start;
  const std::size_t shown = std::min(block.count, room);
  for (std::size_t i = 0; i < shown; ++i) out.lanes.push_back(lanes[block.first + i].lane);
  if (shown == block.count) return out;
  const auto all = std::span(lanes).subspan(block.first, block.count);
  const std::uint32_t latest =
      std::ranges::max_element(all, {}, &analysis::kernel_profile::LaneResult::end)->lane;
  if (std::ranges::count(out.lanes, latest) == 0) out.lanes.back() = latest;
  return out;
}

void choose_axis(const std::vector<BlockLanes>& blocks, const std::vector<ChosenBlock>& chosen,
                 KernelPicture& picture) {
  Time start = blocks[chosen.front().index].start;
  Time end = blocks[chosen.front().index].end;
  Time longest;
  for (const ChosenBlock& one : chosen) {
    const BlockLanes& block = blocks[one.index];
    start = std::min(start, block.start);
    end = std::max(end, block.end);
    longest = std::max(longest, analysis::kernel_profile::time_between(block.start, block.end));
  }
  const Time whole = analysis::kernel_profile::time_between(start, end);
  picture.has_common_start = whole.ps / kLeastPartOfAxis <= longest.ps;
  picture.length = picture.has_common_start ? whole : longest;
  if (!picture.has_common_start) return;
  for (PicturedBlock& block : picture.blocks) block.start = start;
}

}  // namespace

std::string_view name_of(analysis::kernel_profile::RegionStatus status) {
  switch (status) {
    case analysis::kernel_profile::RegionStatus::kOk:
      return "ok";
    case analysis::kernel_profile::RegionStatus::kUnmatchedBegin:
      return "unmatched_begin";
    case analysis::kernel_profile::RegionStatus::kUnmatchedEnd:
      return "unmatched_end";
    case analysis::kernel_profile::RegionStatus::kClipped:
      return "clipped";
  }
  return "ok";
}

std::string lane_words(const trace::KernelProfile& profile, std::uint32_t index) {
  const trace::KernelLane& lane = profile.lanes[index];
  std::string words = lane.name.empty() ? fmt::format("block {} group {}", lane.block, lane.group)
                                        : fmt::format("block {} {}", lane.block, lane.name);
  if (profile.launches.size() < 2) return words;
  return fmt::format("launch {} {}", profile.launches[lane.launch].id, words);
}

std::string extent_words(const trace::Extent3& extent) {
  if (extent.z > 1) return fmt::format("{} x {} x {}", extent.x, extent.y, extent.z);
  if (extent.y > 1) return fmt::format("{} x {}", extent.x, extent.y);
  return fmt::format("{}", extent.x);
}

// One cycle is one ns in the time base where its rate is not known.
bool is_in_cycles(const KernelReport& report) {
  const analysis::kernel_profile::TimeBase& time = report.summary.time;
  return time.source == analysis::kernel_profile::TimeSource::kCycles &&
         report.profile.clock_ghz <= 0 && time.tick_ns == 1;
}

std::string band_words(const KernelReport& report) {
  const Time band = report.summary.time.uncertainty;
  if (band.ps == 0 || band == analysis::kernel_profile::kUnknownUncertainty) return {};
  return fmt::format("at most {} off", kernel_time(report, band));
}

std::string kernel_time(const KernelReport& report, Time time) {
  const double ns = static_cast<double>(time.ps) / kPicosecondsPerNanosecond;
  if (is_in_cycles(report)) {
    const std::string count = fmt::format("{:.0f}", ns);
    return count + (count == "1" ? " cycle" : " cycles");
  }
  const bool is_below_us = std::abs(ns) < 999.95;
  if (report.summary.time.source == analysis::kernel_profile::TimeSource::kGlobalTimer ||
      !is_below_us) {
    return human_time(time);
  }
  return fmt::format("{:.1f} ns", ns);
}

std::uint64_t dropped_of(const trace::KernelLane& lane) {
  return lane.seen > lane.written ? lane.seen - lane.written : 0;
}

KernelPicture choose_picture(const KernelReport& report, std::size_t rows) {
  KernelPicture picture;
  const std::optional<std::uint32_t> launch = longest_launch(report.summary);
  if (!launch || rows == 0) return picture;
  picture.launch = *launch;
  const std::vector<BlockLanes> blocks = blocks_of(report, *launch);
  if (blocks.empty()) return picture;
  std::vector<ChosenBlock> chosen = chosen_blocks(blocks, rows);
  for (const BlockLanes& block : blocks) picture.lanes_left_out += block.count;
  std::size_t room = rows;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    // A block that would be cut is shown only where it is the first one.
    if (i > 0 && blocks[chosen[i].index].count > room) {
      chosen.resize(i);
      break;
    }
    picture.blocks.push_back(pictured(report, blocks[chosen[i].index], chosen[i].role, room));
    room -= picture.blocks.back().lanes.size();
    picture.lanes_left_out -= picture.blocks.back().lanes.size();
  }
  choose_axis(blocks, chosen, picture);
  if (picture.length.ps <= 0) picture.blocks.clear();
  return picture;
}

Time end_of(const analysis::kernel_profile::TimedRegion& region) {
  return analysis::kernel_profile::saturated_time(WideTime{region.start.time.ps} +
                                                  region.duration.ps);
}

DrawnKernelLane drawn_lane(const KernelReport& report, std::uint32_t index) {
  if (report.has_regions) {
    const analysis::kernel_profile::LaneResult* const result = result_of(report.summary, index);
    if (result == nullptr) return {};
    return {result->regions, result->instants};
  }
  analysis::kernel_profile::LaneMarkers markers(report.profile, report.summary.time,
                                                report.overhead_ticks);
  const analysis::kernel_profile::LaneTimeline& timeline = markers.read(index);
  DrawnKernelLane drawn;
  for (const analysis::kernel_profile::LaneRegion& region : timeline.regions)
    drawn.regions.push_back(markers.timed(region));
  for (const analysis::kernel_profile::LaneInstant& instant : timeline.instants) {
    drawn.instants.push_back(markers.timed(instant));
  }
  return drawn;
}

}  // namespace lockstep::report::kernel
