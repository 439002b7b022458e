// A lane of a launch: found at init, described at finalize. Run by leaders only.
#ifndef LOCKSTEP_PROFILER_LANE_H
#define LOCKSTEP_PROFILER_LANE_H

#include "profiler_platform.h"

namespace lockstep {
namespace profile {

// Where a lane's parts are.
struct LanePlace {
  bool found = false;
  u32 launch = 0;
  u32 lane = 0;
  u32 index = 0;  // over all kept launches
  u64 block = 0;
};

// Readings of the timer in a row, without a branch between them: most of a tick of 32 ns. More
// would find the step sooner and hold more registers.
constexpr u32 kAnchorBurst = 6;
// Bursts before an anchor is given up; a tick of 1 us passes well before.
constexpr u32 kAnchorPatience = 512;

// Reads clock and timer in turns until the timer steps. Of the readings c0 t0 c1 t1 c2 with
// t0 != t1, the step lies between t0 and t1, so the clock was in [c0, c2] then: some 18 cycles.
// All 64 bits are used: a 32-bit reading takes twice as long.
LOCKSTEP_INLINE Anchor take_anchor() {
  Anchor anchor{0, 0, 0};
  LOCKSTEP_ROLLED
  for (u32 burst = 0; burst < kAnchorPatience && anchor.timer == 0; ++burst) {
    u64 clocks[kAnchorBurst + 1], timers[kAnchorBurst];
    clocks[0] = clock64();
#pragma unroll
    for (u32 i = 0; i < kAnchorBurst; ++i) {
      timers[i] = timer64();
      clocks[i + 1] = clock64();
    }
#pragma unroll
    for (u32 i = 1; i < kAnchorBurst; ++i) {
      if (timers[i] != timers[i - 1]) anchor = {timers[i], clocks[i - 1], clocks[i + 1]};
    }
  }
  return anchor;
}

LOCKSTEP_INLINE void store_anchor(u64 at, const Anchor& anchor) {
  u64* words = reinterpret_cast<u64*>(at);
  words[0] = anchor.timer;
  words[1] = anchor.clock_before;
  words[2] = anchor.clock_after;
}

LOCKSTEP_INLINE u64 linear_block() {
  const Extent grid = grid_extent(), block = block_index();
  return (static_cast<u64>(block.z) * grid.y + block.y) * grid.x + block.x;
}
LOCKSTEP_INLINE u32 linear_thread() {
  const Extent size = block_extent(), thread = thread_index();
  return (thread.z * size.y + thread.y) * size.x + thread.x;
}

// The first block that asks for the multiprocessor in this launch has it. All of its leaders ask,
// and find themselves there.
LOCKSTEP_INLINE bool claim_multiprocessor(u64* claims, u32 entries, u32 launch, u64 block, u32 sm) {
  if (sm >= entries) return false;
  const u64 mine = static_cast<u64>(launch) << 32 | (static_cast<u32>(block) + 1);
  u64 seen = claims[sm];
  while ((seen >> 32) != launch) {
    const u64 old = compare_and_swap(&claims[sm], seen, mine);
    if (old == seen) return true;
    seen = old;
  }
  return seen == mine;
}

// The block's place among the selected ones, or kNotSelected.
LOCKSTEP_INLINE u32 block_slot(void* buffer, u32 selection, u32 launch, u64 block64) {
  if (block64 >= kNotSelected) return kNotSelected;
  const u32 block = static_cast<u32>(block64);
  if (__builtin_expect(selection == kAllBlocks, 1)) return block;
  const Control* control = static_cast<const Control*>(buffer);
  char* table = static_cast<char*>(buffer) + control->selection_offset;
  const u32 step = control->selection_step, entries = control->table_entries;
  switch (selection) {
    case kEveryNth:
      return step != 0 && block % step == 0 ? block / step : kNotSelected;
    case kListed:
      return block < entries ? reinterpret_cast<const u32*>(table)[block] : kNotSelected;
    case kOnePerSm: {
      const u32 sm = multiprocessor();
      u64* claims = reinterpret_cast<u64*>(table);
      return claim_multiprocessor(claims, entries, launch, block, sm) ? sm : kNotSelected;
    }
    default:
      return kNotSelected;
  }
}

constexpr u32 kBeginAnchorAt = 96;  // in LaneHead
constexpr u32 kEndAnchorAt = kBeginAnchorAt + sizeof(Anchor);

LOCKSTEP_INLINE u64 pair(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }

// In Control.
constexpr u32 kControlBytes = 48;  // of ControlWords
constexpr u32 kSizesAt = 48, kAnchorsAt = 72;

// The first part of Control.
struct ControlWords {
  Words4 state;    // launch, launch slots, lanes, session
  Words4 choice;   // groups, selection, lane bytes, enabled
  Words4 offsets;  // heads, records
};

// Begins one trip to memory. Through the first-level cache: all leaders of the GPU read this line,
// and past the cache they would wait for each other.
LOCKSTEP_INLINE ControlWords load_control(const void* buffer) {
  const char* at = static_cast<const char*>(buffer);
  return {load4(at), load4(at + 16), load4(at + 32)};
}

// The parts of lane `index`, counted over all kept launches.
LOCKSTEP_INLINE u64 head_of(const void* buffer, const ControlWords& control, u32 index) {
  return reinterpret_cast<u64>(buffer) + pair(control.offsets.a, control.offsets.b) +
         static_cast<u64>(index) * sizeof(LaneHead);
}
LOCKSTEP_INLINE u64 records_of(const void* buffer, const ControlWords& control, u32 index) {
  return reinterpret_cast<u64>(buffer) + pair(control.offsets.c, control.offsets.d) +
         static_cast<u64>(index) * control.choice.c;
}

// Finds the lane of this leader and group in the launch that runs. `is_fresh`: the launch number
// may be younger than this kernel (programmatic dependent launch).
LOCKSTEP_INLINE LanePlace find_lane(void* buffer, const ControlWords& control, u64 block, u32 group,
                                    bool is_fresh) {
  LanePlace place;
  place.block = block;
  if (control.choice.d == 0) return place;
  Control* memory = static_cast<Control*>(buffer);
  place.launch = is_fresh ? load_fresh(&memory->launch) : control.state.a;
  const u32 slot = block_slot(buffer, control.choice.b, place.launch, block);
  if (slot == kNotSelected) return place;
  const u32 lanes = control.state.c, groups = control.choice.a;
  place.lane = slot * groups + group;
  if (__builtin_expect(group >= groups || slot >= lanes || place.lane >= lanes, 0)) {
    add_one(&memory->lost_leaders);
    return place;
  }
  place.index = (place.launch & (control.state.b - 1)) * lanes + place.lane;
  place.found = true;
  return place;
}

// What only the end knows. Written with the rest of the head, so that a head is whole or old.
struct LaneEnd {
  u32 thread;  // the leader
  u32 flags;
  u64 seen;
  u32 capacity;
  u32 anchors_taken;
};

// All of the head but the anchors and sm_begin.
LOCKSTEP_INLINE void store_head(u64 at, u32 session, const LanePlace& place, u32 group,
                                const LaneEnd& lane) {
  store_global4(at + 80, static_cast<u32>(lane.seen), static_cast<u32>(lane.seen >> 32),
                lane.capacity, lane.anchors_taken, 1);
  const u64 id = grid_id();
  store_global4(at + 64, static_cast<u32>(id), static_cast<u32>(id >> 32), lane.flags | kFinalized,
                multiprocessor(), 1);
  const Extent cluster = cluster_extent();
  const bool clustered = cluster.x * cluster.y * cluster.z > 1;
  const u32 shape = clustered ? cluster.x | cluster.y << 8 | cluster.z << 16 : 0;
  const Extent grid = grid_extent(), size = block_extent();
  store_global4(at + 32, grid.x, grid.y, grid.z, shape, 1);
  store_global4(at + 48, size.x, size.y, size.z, cluster_rank(), 1);
  store_global2(at + 16, static_cast<u32>(place.block), static_cast<u32>(place.block >> 32), 1);
  reinterpret_cast<LaneHead*>(at)->leader_thread = lane.thread;
  store_global4(at, session, place.launch, place.lane, group, 1);
}

// The lane again from an address inside its records, so that no register holds it meanwhile.
LOCKSTEP_INLINE u32 lane_with_record(const void* buffer, const ControlWords& control, u64 address) {
  const u64 records = records_of(buffer, control, 0);
  // A shift: lane_bytes is a power of two.
  return static_cast<u32>((address - records) >> lowest(control.choice.c));
}

// After init, whatever the channel's interval: reading that would be waited for.
constexpr u32 kFirstAnchorNs = 20'000;

// An anchor between begin and end. Intervals double when half of the rest is used, so that a few
// anchors span a long kernel. Returns ns until the next one is due; 0: never.
LOCKSTEP_INLINE u32 store_interior_anchor(const char* buffer, u32 index, u32 taken) {
  const Anchor anchor = take_anchor();
  const Words4 sizes = load4(buffer + kSizesAt);
  const u32 capacity = sizes.c;
  if (taken < capacity) {
    const u64 anchors = reinterpret_cast<u64>(buffer) + load_pair(buffer + kAnchorsAt);
    store_anchor(anchors + (static_cast<u64>(index) * capacity + taken) * sizeof(Anchor), anchor);
  }
  u32 interval = sizes.d;
  LOCKSTEP_ROLLED
  for (u32 used = capacity / 2; used != 0 && taken >= used && interval < 1U << 30;) {
    interval *= 2;
    taken -= used;
    used /= 2;
  }
  return interval;
}

// The same as calls: a marker that checks whether one is due holds no more than the call. Returns 0
// when the block has no lane.
LOCKSTEP_COLD u32 take_interior_anchor_of(char* buffer, u32 group, u32 taken, bool is_fresh) {
  const LanePlace place = find_lane(buffer, load_control(buffer), linear_block(), group, is_fresh);
  return place.found ? store_interior_anchor(buffer, place.index, taken) : 0;
}
LOCKSTEP_COLD u32 take_interior_anchor_at(const char* buffer, u64 record, u32 taken) {
  return store_interior_anchor(buffer, lane_with_record(buffer, load_control(buffer), record),
                               taken);
}

}  // namespace profile
}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_LANE_H
