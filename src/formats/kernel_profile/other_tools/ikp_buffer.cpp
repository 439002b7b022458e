// Warps of an IKP buffer.
#include "formats/kernel_profile/other_tools/ikp_buffer.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "formats/kernel_profile/item_view.h"
#include "formats/kernel_profile/kernel_findings.h"
#include "formats/kernel_profile/profile_builder.h"

namespace lockstep::formats::kernel_profile {
namespace {

constexpr std::uint64_t kMaxTimer = std::uint64_t{1} << 62;

std::uint32_t warp_of(const IkpEvent& event) { return event.place & 0x3FU; }
std::int32_t sm_of(const IkpEvent& event) { return event.place >> 6; }
bool is_event(const IkpEvent& event) {
  return event.type <= 2 && event.timer != 0 && event.timer < kMaxTimer;
}

class IkpDecoder {
 public:
  IkpDecoder(ItemView<IkpEvent> events, const ProfileMeta& meta, std::uint32_t warps,
             Diagnostics& findings)
      : events_(events), meta_(meta), warps_(warps), findings_(findings) {}

  trace::KernelProfile run(std::span<const std::string> names) {
    builder_.profile.format = name_of(KernelFormat::kIkp);
    describe(builder_.profile, meta_, names);
    builder_.profile.launches.front().groups = warps_;
    if (meta_.lane_capacity != 0 && warps_ != 0) {
      take_by_place();
    } else {
      take_by_tag();
    }
    for (LaneDraft& draft : builder_.lanes()) unroll(draft);
    if (meta_.timer_tick_ns == 0) {
      builder_.profile.timer_tick_ns = timer_step_ns(time_bits_, times_);
    }
    return builder_.finish(false, findings_);
  }

 private:
  void take_by_place() {
    const std::uint64_t capacity = meta_.lane_capacity;
    const std::uint64_t slots = events_.empty() ? 0 : (events_.size() - 1) / capacity + 1;
    builder_.profile.launches.front().lanes_expected = slots;
    for (std::uint64_t slot = 0; slot < slots; ++slot) {
      const std::uint64_t first = slot * capacity;
      const std::uint64_t there = std::min(capacity, events_.size() - first);
      const bool is_counted = slot < meta_.counters.size();
      const std::uint64_t passed = is_counted ? meta_.counters[slot] : there;
      if (passed == 0) continue;
      LaneDraft draft;
      for (std::uint64_t i = 0; i < std::min(passed, there); ++i) {
        const IkpEvent event = events_[first + i];
        // Without a count an empty or impossible event is the end of what was written.
        if (!is_counted && !is_event(event)) break;
        add(event, first + i, draft);
      }
      if (draft.records.empty()) continue;
      LaneDraft& lane =
          builder_.add_lane(0, slot / warps_, static_cast<std::uint32_t>(slot % warps_));
      draft.lane.block = lane.lane.block;
      draft.lane.group = lane.lane.group;
      draft.lane.capacity = capacity;
      draft.dropped = passed > capacity ? passed - capacity : 0;
      lane = std::move(draft);
    }
  }

  void take_by_tag() {
    for (std::uint64_t i = 0; i < events_.size(); ++i) {
      const IkpEvent event = events_[i];
      if (event.timer == 0) continue;  // never written
      add(event, i, builder_.lane(0, event.block, warp_of(event)));
    }
  }

  void add(const IkpEvent& event, std::uint64_t index, LaneDraft& draft) {
    if (!is_event(event)) {
      findings_.add(kBadRecord, Place::byte(index * sizeof(IkpEvent)),
                    fmt::format("type {}", event.type));
      return;
    }
    time_bits_ |= event.timer;
    ++times_;
    if (draft.records.empty()) draft.lane.sm = sm_of(event);
    draft.records.push_back({.ticks = static_cast<std::int64_t>(event.timer),
                             .event = event.event,
                             .type = static_cast<trace::RecordType>(event.type)});
  }

  // A ring that was written round steps back in time once: its oldest event is there.
  void unroll(LaneDraft& draft) {
    draft.lane.is_ring = true;
    auto& records = draft.records;
    const auto steps_back = [](const trace::KernelRecord& a, const trace::KernelRecord& b) {
      return b.ticks < a.ticks;
    };
    const auto newest = std::ranges::adjacent_find(records, steps_back);
    if (newest == records.end()) return;
    std::ranges::rotate(records, newest + 1);
    if (draft.dropped == 0) {
      findings_.add(kRingOverwritten, Place::none(),
                    fmt::format("block {}, warp {}", draft.lane.block, draft.lane.group));
    }
    if (std::ranges::adjacent_find(records, steps_back) == records.end()) return;
    findings_.add(kClockDisorder, Place::none(),
                  fmt::format("block {}, warp {}", draft.lane.block, draft.lane.group));
    std::ranges::stable_sort(records, {}, &trace::KernelRecord::ticks);
  }

  ItemView<IkpEvent> events_;
  const ProfileMeta& meta_;
  std::uint32_t warps_;
  Diagnostics& findings_;
  ProfileBuilder builder_;
  std::uint64_t time_bits_ = 0;
  std::uint64_t times_ = 0;
};

}  // namespace

Result<trace::KernelProfile> decode_ikp(std::span<const std::byte> bytes,
                                        const KernelDecodeOptions& options, const ProfileMeta& meta,
                                        Diagnostics& findings) {
  const ItemView<IkpEvent> events(bytes);
  if (bytes.size() % sizeof(IkpEvent) != 0) {
    findings.add(kTruncatedProfile, Place::byte(bytes.size()), "the last event is cut");
  }
  const std::uint32_t warps = options.groups != 0 ? options.groups : meta.groups;
  return IkpDecoder(events, meta, warps, findings).run(options.names);
}

}  // namespace lockstep::formats::kernel_profile
