// The simulated kernel: the layout of lockstep/profile_layout.h, written the slow and obvious way.
#include "session/simulated_kernel.h"

#include <cstddef>
#include <cstring>

namespace lockstep::testing {
namespace {

using namespace profile;

constexpr u64 kTimerPerEvent = 64;

u32 slot_of(char* memory, const Control& control, u64 block, u32 sm) {
  switch (control.selection) {
    case kAllBlocks:
      return static_cast<u32>(block);
    case kEveryNth:
      return block % control.selection_step == 0 ? static_cast<u32>(block / control.selection_step)
                                                 : kNotSelected;
    case kListed: {
      u32 slot = kNotSelected;
      if (block < control.table_entries) {
        std::memcpy(&slot, memory + control.selection_offset + block * sizeof(slot), sizeof(slot));
      }
      return slot;
    }
    default: {
      u64 claim = 0;
      char* place = memory + control.selection_offset + sm * sizeof(claim);
      std::memcpy(&claim, place, sizeof(claim));
      const u64 mine = u64{control.launch} << 32 | (static_cast<u32>(block) + 1);
      if (claim >> 32 != control.launch) claim = mine;
      std::memcpy(place, &claim, sizeof(claim));
      return claim == mine ? sm : kNotSelected;
    }
  }
}

Anchor anchor_at(u64 block, u32 group, u64 event) {
  const u64 clock = simulated_clock(block, group, event);
  return {1'000'000 + event * kTimerPerEvent, clock - 2, clock + 2};
}

void write_records(char* records, u32 lane_bytes, const SimulatedLaunch& launch, u64 block,
                   u32 group) {
  const bool is_region = (launch.flags & kRegionRecords) != 0;
  const u64 item = is_region ? sizeof(Region) : sizeof(Record);
  const u64 slots = lane_bytes / item;
  for (u64 event = 0; event < launch.events; ++event) {
    const bool is_ring = (launch.flags & kRing) != 0;
    const u64 at = is_ring ? event % slots : (event < slots - 2 ? event : slots - 2);
    const u32 clock = simulated_clock(block, group, event);
    if (is_region) {
      const Region region = {clock, clock + 50, make_tag(kBegin, 0, static_cast<u32>(event % 3), 0),
                             static_cast<u32>(event)};
      std::memcpy(records + at * item, &region, sizeof(region));
    } else {
      const u32 type = event % 2 == 0 ? kBegin : kEnd;
      const Record record = {clock, make_tag(type, 0, static_cast<u32>(event / 2 % 3), 0)};
      std::memcpy(records + at * item, &record, sizeof(record));
    }
  }
}

void run_lane(char* memory, const Control& control, const SimulatedLaunch& launch, u64 block,
              u32 group, u32 sm, u64 lane) {
  const u64 index = u64{control.launch & (control.launch_slots - 1)} * control.lanes + lane;
  char* place = memory + control.heads_offset + index * sizeof(LaneHead);
  LaneHead head;  // what an earlier launch left
  std::memcpy(&head, place, sizeof(head));
  head.session = control.session;
  head.launch = control.launch;
  head.lane = static_cast<u32>(lane);
  head.group = group;
  head.block = block;
  head.sm_begin = sm;
  head.leader_thread = group * 32;
  head.grid[0] = launch.blocks;
  head.grid[1] = head.grid[2] = 1;
  head.cluster = 0;
  head.threads[0] = launch.groups * 32;
  head.threads[1] = head.threads[2] = 1;
  head.cluster_rank = 0;
  head.grid_id = launch.grid_id != 0 ? launch.grid_id : control.launch;
  head.flags = launch.flags;
  head.sm_end = kNoSm;
  head.begin = anchor_at(block, group, 0);
  write_records(memory + control.records_offset + index * control.lane_bytes, control.lane_bytes,
                launch, block, group);
  for (u32 i = 0; i < launch.interior_anchors && i < control.anchor_capacity; ++i) {
    const Anchor anchor = anchor_at(block, group, 1 + i);
    std::memcpy(
        memory + control.anchors_offset + (index * control.anchor_capacity + i) * sizeof(Anchor),
        &anchor, sizeof(anchor));
  }
  if (launch.is_finalized) {
    const u64 item = (launch.flags & kRegionRecords) != 0 ? sizeof(Region) : sizeof(Record);
    const u64 slots = control.lane_bytes / item;
    head.flags |= kFinalized;
    head.sm_end = sm;
    head.seen = launch.events;
    head.capacity = static_cast<u32>((launch.flags & kRing) != 0 ? slots : slots - 2);
    head.anchors_taken = launch.interior_anchors;
    head.end = anchor_at(block, group, launch.events + 1);
  }
  std::memcpy(place, &head, sizeof(head));
}

}  // namespace

u32 simulated_clock(std::uint64_t block, std::uint32_t group, std::uint64_t event) {
  return static_cast<u32>(10'000 + block * 1'000 + group * 100 + event * 128);
}

void run_simulated_kernel(char* memory, const SimulatedLaunch& launch) {
  Control control;
  std::memcpy(&control, memory, sizeof(control));
  if (control.enabled == 0) return;
  for (u64 block = 0; block < launch.blocks; ++block) {
    const u32 sm = static_cast<u32>(block % launch.multiprocessors);
    const u32 slot = slot_of(memory, control, block, sm);
    if (slot == kNotSelected) continue;
    for (u32 group = 0; group < launch.groups; ++group) {
      const u64 lane = u64{slot} * control.groups + group;
      if (group >= control.groups || lane >= control.lanes) {
        ++control.lost_leaders;
      } else {
        run_lane(memory, control, launch, block, group, sm, lane);
      }
    }
  }
  std::memcpy(memory + offsetof(Control, lost_leaders), &control.lost_leaders,
              sizeof(control.lost_leaders));
}

}  // namespace lockstep::testing
