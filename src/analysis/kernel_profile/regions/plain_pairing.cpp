// One stack for all events.
#include "analysis/kernel_profile/regions/plain_pairing.h"

#include <algorithm>
#include <limits>

namespace lockstep::analysis::kernel_profile {
namespace {

// Beyond it looking for an event among the open ones would cost more than a table.
constexpr std::size_t kShallow = 16;

}  // namespace

inline bool PlainPairing::begin(const trace::KernelRecord& record, std::uint64_t index,
                                std::vector<LaneRegion>& regions) {
  for (const Open& open : open_) {
    if (open.event == record.event) return false;
  }
  if (open_.size() >= kShallow) return false;
  LaneRegion region = region_begun_by(record);
  region.depth = static_cast<std::uint32_t>(open_.size());
  open_.push_back({record.event, static_cast<std::uint32_t>(regions.size()), index});
  regions.push_back(region);
  return true;
}

inline bool PlainPairing::end(const trace::KernelRecord& record, std::uint64_t index,
                              std::uint32_t event, std::vector<LaneRegion>& regions) {
  if (open_.empty() || open_.back().event != event) return false;
  end_region(regions[open_.back().region], record, index - open_.back().record);
  open_.pop_back();
  return true;
}

bool PlainPairing::pair(std::span<const trace::KernelRecord> records, LaneTimeline& out) {
  open_.clear();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (std::uint64_t index = 0; index < records.size(); ++index) {
    const trace::KernelRecord& record = records[index];
    if (record.ticks < last || record.type == trace::RecordType::kRegion) return false;
    last = record.ticks;
    if (record.type == trace::RecordType::kInstant || is_async_edge(record)) {
      take_single(record, out);
      continue;
    }
    const bool is_switch = record.type == trace::RecordType::kSwitch;
    if (record.type != trace::RecordType::kBegin &&
        !end(record, index, is_switch ? record.payload : record.event, out.regions)) {
      return false;
    }
    if (record.type != trace::RecordType::kEnd && !begin(record, index, out.regions)) return false;
  }
  return open_.empty();
}

}  // namespace lockstep::analysis::kernel_profile
