// Pairing of the markers of one lane.
#include "analysis/kernel_profile/regions/lane_regions.h"

#include <algorithm>
#include <limits>
#include <string>

namespace lockstep::analysis::kernel_profile {

const DiagnosticKind kUnmatchedBegin{
    "unmatched_begin", Severity::kDataLoss,
    "Regions begin and never end; they are drawn to the end of their lane and are in no figure."};
const DiagnosticKind kUnmatchedEnd{
    "unmatched_end", Severity::kDataLoss,
    "Regions end that never began; they are drawn from the begin of their lane and are in no "
    "figure."};
const DiagnosticKind kClippedRegion{
    "clipped_region", Severity::kDataLoss,
    "One edge of a region was dropped because its lane was full; it is drawn to the lane's edge "
    "and is in no statistics of its event."};
const DiagnosticKind kNestedInItself{
    "nested_in_itself", Severity::kInfo,
    "An event begins again before it has ended; the inner one is paired first, and its time counts "
    "in both."};
const DiagnosticKind kCrossingRegions{"crossing_regions", Severity::kInfo,
                                      "Regions of a lane overlap without one enclosing the other."};
const DiagnosticKind kNegativeRegion{
    "negative_duration", Severity::kError,
    "A region ends before it begins by its own clock; its duration counts as 0."};

namespace {

constexpr std::uint32_t kNone = EventSlots::kNone;

// Places in the lane's program: a switch ends one region and then begins another.
std::int64_t end_place(std::uint64_t record) { return static_cast<std::int64_t>(2 * record); }
std::int64_t begin_place(std::uint64_t record) { return end_place(record) + 1; }
std::uint64_t record_of(std::int64_t place) { return static_cast<std::uint64_t>(place) / 2; }
// Of an edge that is not there: the first to begin would be the last to end, and the other way.
std::int64_t missing_end_place(std::uint64_t begin_record, std::uint64_t records) {
  return static_cast<std::int64_t>(3 * records + 1 - begin_record);
}
std::int64_t missing_begin_place(std::uint64_t end_record) {
  return -1 - static_cast<std::int64_t>(end_record);
}

std::uint32_t saturated(std::uint64_t count) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(count, std::numeric_limits<std::uint32_t>::max()));
}

std::int64_t later(std::int64_t ticks, std::uint32_t length) {
  constexpr auto kLast = std::numeric_limits<std::int64_t>::max();
  return ticks > kLast - std::int64_t{length} ? kLast : ticks + std::int64_t{length};
}

}  // namespace

void RegionPairing::Tally::add(std::uint64_t record, std::uint32_t of_event) {
  if (count++ != 0) return;
  first_record = record;
  event = of_event;
}

void RegionPairing::see_tick(std::int64_t ticks) {
  if (!has_ticks_) out_->begin = out_->end = ticks;
  has_ticks_ = true;
  out_->begin = std::min(out_->begin, ticks);
  out_->end = std::max(out_->end, ticks);
}

void RegionPairing::see_anchors(const trace::KernelLane& lane,
                                std::span<const trace::KernelAnchor> anchors) {
  has_ticks_ = false;
  for (const trace::KernelAnchor& anchor : anchors) {
    const bool counts_cycles = lane.clock == trace::LaneClock::kCycles;
    see_tick(counts_cycles ? anchor.clock_after : anchor.timer_ns);
    see_tick(counts_cycles ? anchor.clock_before : anchor.timer_ns);
  }
}

void RegionPairing::start(const trace::KernelLane& lane) {
  edges_.clear();
  open_.clear();
  without_begin_.clear();
  tallies_ = {};
  has_region_records_ = false;
  const bool has_dropped = lane.seen > lane.written;
  open_end_ = has_dropped && !lane.is_ring ? RegionStatus::kClipped : RegionStatus::kUnmatchedBegin;
  open_begin_ = has_dropped && lane.is_ring ? RegionStatus::kClipped : RegionStatus::kUnmatchedEnd;
}

std::uint32_t& RegionPairing::top_of(std::uint32_t event) {
  const std::uint32_t slot = slots_.slot_of(event);
  if (slot >= tops_.size()) tops_.resize(slot + 1, kNone);
  return tops_[slot];
}

void RegionPairing::begin(const trace::KernelRecord& record, std::uint64_t index) {
  std::uint32_t& top = top_of(record.event);
  if (top != kNone) tallies_.nested.add(index, record.event);
  const auto region = static_cast<std::uint32_t>(out_->regions.size());
  out_->regions.push_back(region_begun_by(record));
  out_->regions.back().status = open_end_;
  edges_.push_back({begin_place(index), 0});
  const auto place = static_cast<std::uint32_t>(open_.size());
  open_.push_back({region, top, false});
  top = place;
}

void RegionPairing::end(const trace::KernelRecord& record, std::uint64_t index,
                        std::uint32_t event) {
  std::uint32_t& top = top_of(event);
  if (top == kNone) return end_without_begin(record, index, event);
  Open& open = open_[top];
  LaneRegion& region = out_->regions[open.region];
  RegionEdges& edges = edges_[open.region];
  edges.end = end_place(index);
  region.status = RegionStatus::kOk;
  end_region(region, record, index - record_of(edges.begin));
  if (record.ticks < region.begin) tallies_.negative.add(index, event);
  open.is_closed = true;
  top = open.below;
  while (!open_.empty() && open_.back().is_closed) open_.pop_back();
}

void RegionPairing::end_without_begin(const trace::KernelRecord& record, std::uint64_t index,
                                      std::uint32_t event) {
  (open_begin_ == RegionStatus::kClipped ? tallies_.clipped : tallies_.unmatched_end)
      .add(index, event);
  without_begin_.push_back(static_cast<std::uint32_t>(out_->regions.size()));
  LaneRegion& region = out_->regions.emplace_back();
  region.begin = record.ticks;
  region.event = event;
  region.status = open_begin_;
  end_region(region, record, index + 1);
  edges_.push_back({missing_begin_place(index), end_place(index)});
}

void RegionPairing::take_region(const trace::KernelRecord& record, std::uint64_t index) {
  see_tick(later(record.ticks, record.length));
  out_->regions.push_back({.begin = record.ticks,
                           .end = later(record.ticks, record.length),
                           .event = record.event,
                           .payload = record.payload,
                           .has_payload = record.has_payload});
  edges_.push_back({0, end_place(index)});
  has_region_records_ = true;
}

void RegionPairing::take(const trace::KernelRecord& record, std::uint64_t index) {
  if (record.type == trace::RecordType::kInstant || is_async_edge(record)) {
    return take_single(record, *out_);
  }
  const bool is_switch = record.type == trace::RecordType::kSwitch;
  if (record.type == trace::RecordType::kRegion) take_region(record, index);
  if (record.type == trace::RecordType::kEnd || is_switch) {
    end(record, index, is_switch ? record.payload : record.event);
  }
  if (record.type == trace::RecordType::kBegin || is_switch) begin(record, index);
}

// Gives the edges that are missing, then sorts and nests.
void RegionPairing::finish(std::uint64_t records) {
  for (const Open& open : open_) {
    if (open.is_closed) continue;
    LaneRegion& region = out_->regions[open.region];
    region.end = out_->end;
    RegionEdges& edges = edges_[open.region];
    const std::uint64_t index = record_of(edges.begin);
    edges.end = missing_end_place(index, records);
    region.markers = saturated(records - 1 - index);
    (open_end_ == RegionStatus::kClipped ? tallies_.clipped : tallies_.unmatched_begin)
        .add(index, region.event);
    top_of(region.event) = kNone;
  }
  for (const std::uint32_t region : without_begin_) out_->regions[region].begin = out_->begin;
  nesting_.nest(out_->regions, edges_, !has_region_records_);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    const LaneRegion& region = out_->regions[i];
    if (!region.is_crossing) continue;
    tallies_.crossing.add(std::min(record_of(edges_[i].end), records - 1), region.event);
  }
}

void RegionPairing::report(const trace::KernelLane& lane, Diagnostics& findings) const {
  const auto add = [&](const DiagnosticKind& kind, const Tally& tally) {
    if (tally.count == 0) return;
    findings.add(kind, Place::row(lane.first_record + tally.first_record),
                 "event " + std::to_string(tally.event) + " in block " +
                     std::to_string(lane.block) + ", group " + std::to_string(lane.group),
                 tally.count);
  };
  add(kUnmatchedBegin, tallies_.unmatched_begin);
  add(kUnmatchedEnd, tallies_.unmatched_end);
  add(kClippedRegion, tallies_.clipped);
  add(kNestedInItself, tallies_.nested);
  add(kCrossingRegions, tallies_.crossing);
  add(kNegativeRegion, tallies_.negative);
}

void RegionPairing::pair_anything(const trace::KernelLane& lane,
                                  std::span<const trace::KernelRecord> records) {
  start(lane);
  for (std::uint64_t index = 0; index < records.size(); ++index) {
    see_tick(records[index].ticks);
    take(records[index], index);
  }
  finish(records.size());
}

void RegionPairing::pair(const trace::KernelLane& lane,
                         std::span<const trace::KernelRecord> records,
                         std::span<const trace::KernelAnchor> anchors, LaneTimeline& out,
                         Diagnostics& findings) {
  out.clear();
  out_ = &out;
  see_anchors(lane, anchors);
  if (plain_.pair(records, out)) {
    if (records.empty()) return;
    see_tick(records.front().ticks);
    see_tick(records.back().ticks);
    return;
  }
  out.regions.clear();
  out.instants.clear();
  out.async_edges.clear();
  pair_anything(lane, records);
  report(lane, findings);
}

void pair_regions(const trace::KernelLane& lane, std::span<const trace::KernelRecord> records,
                  std::span<const trace::KernelAnchor> anchors, LaneTimeline& out,
                  Diagnostics& findings) {
  RegionPairing pairing;
  pairing.pair(lane, records, anchors, out, findings);
}

}  // namespace lockstep::analysis::kernel_profile
