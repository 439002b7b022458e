// Unpacking of records and regions. The loops over records decide how long `kernel decode` takes.
#include "formats/kernel_profile/lkp/lkp_records.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formats/kernel_profile/lkp/lkp_checks.h"
#include "lockstep/profile_layout.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint32_t kEventMask = profile::kEvents - 1;

std::uint32_t event_of(std::uint32_t tag) { return tag >> 16 & kEventMask; }
bool has_payload(std::uint32_t tag) { return (tag >> 28 & profile::kHasPayload) != 0; }

void unpack(const lkp::Record& record, std::int64_t ticks, trace::KernelRecord& out) {
  const std::uint32_t type = record.tag >> 30;
  out.ticks = ticks;
  out.length = 0;
  out.event = event_of(record.tag);
  out.payload = record.tag & (type == profile::kSwitch ? kEventMask : 0xFFFFU);
  out.type = static_cast<trace::RecordType>(type);
  out.is_async = (record.tag >> 28 & profile::kAsync) != 0;
  out.has_payload = has_payload(record.tag);
}
static_assert(static_cast<std::uint32_t>(trace::RecordType::kBegin) == profile::kBegin &&
              static_cast<std::uint32_t>(trace::RecordType::kEnd) == profile::kEnd &&
              static_cast<std::uint32_t>(trace::RecordType::kInstant) == profile::kInstant &&
              static_cast<std::uint32_t>(trace::RecordType::kSwitch) == profile::kSwitch);

// `ticks` are of its end. A lane of regions holds single events, too.
void unpack(const lkp::Region& region, std::int64_t ticks, trace::KernelRecord& out) {
  const bool is_edge = (region.tag & 0xFFFFU) == profile::kEdgeAmongRegions;
  const std::uint32_t type = region.tag >> 30;
  out.length = is_edge ? 0 : region.t1 - region.t0;
  out.ticks = ticks - out.length;
  out.event = event_of(region.tag);
  out.payload = is_edge && type == profile::kSwitch ? region.payload & kEventMask : region.payload;
  out.type = is_edge ? static_cast<trace::RecordType>(type) : trace::RecordType::kRegion;
  out.is_async = is_edge && (region.tag >> 28 & profile::kAsync) != 0;
  out.has_payload = has_payload(region.tag);
}

std::uint32_t clock_of(const lkp::Record& record) { return record.clock; }
std::uint32_t clock_of(const lkp::Region& region) { return region.t1; }

// Items as they lie one behind another, or with bytes between them that are not known here.
template <typename Item>
struct Dense {
  const std::byte* first;
  Item operator()(std::size_t i) const { return load<Item>(first + i * sizeof(Item)); }
};
template <typename Item>
struct Spaced {
  const std::byte* first;
  std::size_t item_bytes;
  Item operator()(std::size_t i) const { return load<Item>(first + i * item_bytes); }
};

template <typename Items>
void unpack_near(const Items& items, std::int64_t reference, std::span<trace::KernelRecord> out) {
  const auto low = static_cast<std::uint32_t>(reference);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto item = items(i);
    unpack(item, reference + static_cast<std::int32_t>(clock_of(item) - low), out[i]);
  }
}

template <typename Items>
void unpack_walking(const Items& items, const ClockPath& path, std::span<trace::KernelRecord> out) {
  std::int64_t tick = path.first;
  std::uint32_t clock = clock_of(items(0));
  auto hidden = path.hidden.begin();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto item = items(i);
    tick += clock_step(clock, clock_of(item), path.back);
    clock = clock_of(item);
    while (hidden != path.hidden.end() && hidden->before == i) tick += (hidden++)->ticks;
    unpack(item, tick, out[i]);
  }
}

template <typename Items>
void unpack_all(const Items& items, const ClockPath& path, std::span<trace::KernelRecord> out) {
  if (path.reference) {
    unpack_near(items, *path.reference, out);
  } else {
    unpack_walking(items, path, out);
  }
}

template <typename Item>
void unpack_view(const ItemView<Item>& view, const ClockPath& path,
                 std::span<trace::KernelRecord> out) {
  if (view.is_dense()) {
    unpack_all(Dense<Item>{view.at(0)}, path, out);
  } else {
    unpack_all(Spaced<Item>{view.at(0), view.item_bytes()}, path, out);
  }
}

// A region has no room for the length of this one: it becomes a begin and an end.
void split_region(std::span<trace::KernelRecord> out, std::int64_t stretch) {
  trace::KernelRecord& begin = out[0];
  trace::KernelRecord& end = out[1];
  end = begin;
  end.ticks += begin.length + stretch;
  begin.type = trace::RecordType::kBegin;
  end.type = trace::RecordType::kEnd;
  begin.length = end.length = 0;
}

// Thousands of wraps of a slow counter are more ns than there is room for.
std::int64_t to_ns(std::int64_t ticks, double step_ns) {
  constexpr long double kLast = std::int64_t{1} << 62;
  return std::llround(std::min(static_cast<long double>(ticks) * step_ns, kLast));
}

void convert_to_ns(std::span<trace::KernelRecord> records, double step_ns) {
  constexpr auto kLongest = static_cast<std::int64_t>(UINT32_MAX);
  for (trace::KernelRecord& record : records) {
    const std::int64_t end = to_ns(record.ticks + record.length, step_ns);
    record.ticks = to_ns(record.ticks, step_ns);
    record.length =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(end - record.ticks, 0, kLongest));
  }
}

// What clocks and events of a lane may be.
struct Limits {
  std::uint32_t first_clock = 0;
  std::uint32_t span = UINT32_MAX;
  std::uint32_t events = profile::kEvents;
};

Limits limits_of(const ClockPath& path, const trace::KernelLane& lane,
                 std::span<const trace::KernelAnchor> anchors, std::size_t names) {
  Limits limits;
  if (path.reference && lane.clock == trace::LaneClock::kCycles) {
    limits.first_clock = static_cast<std::uint32_t>(anchors.front().clock_before);
    limits.span =
        static_cast<std::uint32_t>(anchors.back().clock_after - anchors.front().clock_before);
  }
  if (names != 0)
    limits.events = static_cast<std::uint32_t>(std::min<std::size_t>(names, profile::kEvents));
  return limits;
}

template <typename Items>
void count_wrong(const Items& items, std::size_t count, const Limits& limits, LaneCheck& check) {
  const bool has_first = check.unnamed_events > 0;
  // In pieces, so that 32-bit sums do; those the compiler makes wide.
  constexpr std::size_t kPiece = 1U << 16;
  for (std::size_t from = 0; from < count; from += kPiece) {
    std::uint32_t outside = 0;
    std::uint32_t unnamed = 0;
    for (std::size_t i = from; i < std::min(from + kPiece, count); ++i) {
      const auto item = items(i);
      outside += clock_of(item) - limits.first_clock > limits.span ? 1U : 0U;
      unnamed += event_of(item.tag) >= limits.events ? 1U : 0U;
    }
    check.outside_anchors += outside;
    check.unnamed_events += unnamed;
  }
  for (std::size_t i = 0; !has_first && check.unnamed_events > 0 && i < count; ++i) {
    check.first_unnamed = event_of(items(i).tag);
    if (check.first_unnamed >= limits.events) return;
  }
}

template <typename Item>
void count_wrong(const ItemView<Item>& view, const Limits& limits, LaneCheck& check) {
  if (view.is_dense()) {
    count_wrong(Dense<Item>{view.at(0)}, view.size(), limits, check);
  } else {
    count_wrong(Spaced<Item>{view.at(0), view.item_bytes()}, view.size(), limits, check);
  }
}

// Lanes that lie one behind another are read so much at a time: a call of the kernel for each takes
// longer than the copying of a short one.
constexpr std::size_t kReadAhead = 64 * 1024;

}  // namespace

LaneClocks LkpRecords::LaneItems::clocks() const {
  if (!regions.empty()) {
    return {regions.at(0) + offsetof(lkp::Region, t1), regions.item_bytes(), regions.size()};
  }
  return {records.at(0) + offsetof(lkp::Record, clock), records.item_bytes(), records.size()};
}

std::span<const std::byte> LkpRecords::bytes_at(std::uint64_t offset, std::size_t count,
                                                trace::RecordScratch& scratch) const {
  const std::span<const std::byte> all = file_->in_memory();
  if (!all.empty()) return all.subspan(offset, count);
  const bool is_there = offset >= scratch.from && offset + count <= scratch.to;
  if (!is_there) {
    const bool follows = offset <= scratch.to && offset > scratch.from;
    const std::uint64_t size = std::min<std::uint64_t>(
        follows ? std::max(count, kReadAhead) : count, file_->size() - offset);
    // Never made smaller: growing again would fill it with zeros first.
    if (scratch.bytes.size() < size) scratch.bytes.resize(size);
    file_->read(offset, std::span(scratch.bytes).first(size));
    scratch.from = offset;
    scratch.to = offset + size;
  }
  return std::span(scratch.bytes).subspan(offset - scratch.from, count);
}

LkpRecords::LaneItems LkpRecords::items_of(const Reading& reading, std::uint64_t first,
                                           std::uint64_t count) const {
  const bool is_regions = has_regions(reading.lane);
  const LkpItems& section = is_regions ? regions_ : records_;
  first += reading.lane.first_record - (is_regions ? records_.size : 0);
  const std::span<const std::byte> bytes = bytes_at(section.offset + first * section.item_bytes,
                                                    count * section.item_bytes, reading.scratch);
  LaneItems items;
  if (is_regions) {
    items.regions = ItemView<lkp::Region>(bytes, section.item_bytes);
  } else {
    items.records = ItemView<lkp::Record>(bytes, section.item_bytes);
  }
  return items;
}

ClockPath LkpRecords::path_of(const Reading& reading) const {
  const trace::KernelLane& lane = reading.lane;
  if (lane.clock == trace::LaneClock::kCycles && has_nearest_ticks(lane, reading.anchors)) {
    const std::array<std::uint32_t, 2> ends = {items_of(reading, 0, 1).clocks()[0],
                                               items_of(reading, lane.written - 1, 1).clocks()[0]};
    const LaneClocks clocks(std::as_bytes(std::span(ends)).data(), sizeof(ends[0]), ends.size());
    return find_clock_path(clocks, lane, reading.anchors);
  }
  const LaneClocks clocks = items_of(reading, 0, lane.written).clocks();
  if (lane.clock == trace::LaneClock::kCycles)
    return find_clock_path(clocks, lane, reading.anchors);
  std::vector<trace::KernelAnchor> counted(reading.anchors.begin(), reading.anchors.end());
  for (trace::KernelAnchor& anchor : counted) {
    anchor.clock_before = std::llround(static_cast<long double>(anchor.clock_before) / step_ns_);
    anchor.clock_after = std::llround(static_cast<long double>(anchor.clock_after) / step_ns_);
  }
  return find_clock_path(clocks, lane, counted);
}

// Init and finalize stand beside the region, so wraps between them lie in it.
std::int64_t LkpRecords::stretch_of(const Reading& reading, const ClockPath& path) const {
  const bool is_lone = has_regions(reading.lane) && reading.lane.written == 1;
  if (!is_lone || !path.is_ambiguous) return 0;
  const lkp::Region region = items_of(reading, 0, 1).regions[0];
  return (region.tag & 0xFFFFU) == profile::kEdgeAmongRegions ? 0 : path.unplaced;
}

template <typename Use>
void LkpRecords::for_each_piece(const Reading& reading, const ClockPath& path,
                                const Use& use) const {
  const std::uint64_t all = reading.lane.written;
  const std::size_t item_bytes =
      has_regions(reading.lane) ? regions_.item_bytes : records_.item_bytes;
  const std::uint64_t most =
      path.reference ? std::max<std::uint64_t>(1, kReadAhead / item_bytes) : all;
  for (std::uint64_t first = 0; first < all; first += most) {
    use(first, items_of(reading, first, std::min(most, all - first)));
  }
}

LaneCheck LkpRecords::begun_check(const ClockPath& path, std::int64_t stretch) const {
  LaneCheck check;
  check.wraps = path.wraps + static_cast<std::uint64_t>(stretch >> 32);
  check.is_ambiguous = path.is_ambiguous && stretch == 0;
  check.is_disordered = path.is_disordered;
  return check;
}

std::span<const trace::KernelRecord> LkpRecords::read(const trace::KernelLane& lane,
                                                      std::span<const trace::KernelAnchor> anchors,
                                                      trace::RecordScratch& scratch) const {
  if (lane.written == 0) return {};
  const Reading reading{lane, anchors, scratch};
  const ClockPath path = path_of(reading);
  const std::int64_t stretch = stretch_of(reading, path);
  LaneCheck check = begun_check(path, stretch);
  const Limits limits = limits_of(path, lane, anchors, names_);
  // Never made smaller: growing again would fill it with zeros first.
  const std::size_t count = stretch != 0 ? 2 : lane.written;
  if (scratch.records.size() < count) scratch.records.resize(count);
  std::span<trace::KernelRecord> out = std::span(scratch.records).first(lane.written);
  for_each_piece(reading, path, [&](std::uint64_t first, const LaneItems& items) {
    if (!items.regions.empty()) {
      count_wrong(items.regions, limits, check);
      unpack_view(items.regions, path, out.subspan(first, items.regions.size()));
    } else {
      count_wrong(items.records, limits, check);
      unpack_view(items.records, path, out.subspan(first, items.records.size()));
    }
  });
  note(lane, check);
  if (stretch != 0) {
    out = std::span(scratch.records).first(2);
    split_region(out, stretch);
  }
  if (lane.clock == trace::LaneClock::kGlobalTimer) convert_to_ns(out, step_ns_);
  return out;
}

void LkpRecords::check(const trace::KernelLane& lane, std::span<const trace::KernelAnchor> anchors,
                       trace::RecordScratch& scratch) const {
  if (lane.written == 0) return;
  const Reading reading{lane, anchors, scratch};
  const ClockPath path = path_of(reading);
  LaneCheck check = begun_check(path, stretch_of(reading, path));
  const Limits limits = limits_of(path, lane, anchors, names_);
  for_each_piece(reading, path, [&](std::uint64_t, const LaneItems& items) {
    if (!items.regions.empty()) {
      count_wrong(items.regions, limits, check);
    } else {
      count_wrong(items.records, limits, check);
    }
  });
  note(lane, check);
}

void LkpRecords::note(const trace::KernelLane& lane, const LaneCheck& check) const {
  if (check == LaneCheck{}) return;
  const std::lock_guard lock(mutex_);
  found_[lane.first_record] = check;
}

LaneCheck LkpRecords::found(const trace::KernelLane& lane) const {
  if (lane.written == 0) return {};
  const std::lock_guard lock(mutex_);
  const auto known = found_.find(lane.first_record);
  return known == found_.end() ? LaneCheck{} : known->second;
}

void LkpRecords::report(const trace::KernelProfile& profile, Diagnostics& findings) const {
  report_records(profile, *this, findings);
}

}  // namespace lockstep::formats::kernel_profile
