// A lane of a launch: found at init, described at finalize. Run by leaders only.
#ifndef LOCKSTEP_PROFILER_LANE_H
#define LOCKSTEP_PROFILER_LANE_H

#include "profiler_platform.h"

namespace lockstep {
namespace profile {

// Where a lane's parts are; `head` 0: the thread has no lane.
struct LanePlace {
  u64 head = 0;
  u64 records = 0;
  u64 anchors = 0;
  u32 lane_bytes = 0;
  u32 anchor_capacity = 0;
  u32 anchor_interval = 0;
};

// Reads of the timer before an anchor is given up; a tick of 1 us passes well before.
constexpr u32 kAnchorPatience = 4096;

// Polls until the timer steps. Of the reads c0 t0 c1 t1 c2 with t0 != t1, the step lies between t0
// and t1, so the counter was in [c0, c2] then.
LOCKSTEP_INLINE Anchor take_anchor() {
  u64 before = clock64();
  u64 timer = timer64();
  u64 between = clock64();
  LOCKSTEP_ROLLED
  for (u32 i = 0; i < kAnchorPatience; ++i) {
    const u64 next = timer64();
    const u64 after = clock64();
    if (next != timer) return {next, before, after};
    before = between;
    between = after;
  }
  return {timer, before, between};
}

LOCKSTEP_INLINE void store_anchor(u64 at, const Anchor& anchor) {
  u64* words = reinterpret_cast<u64*>(at);
  words[0] = anchor.timer;
  words[1] = anchor.clock_before;
  words[2] = anchor.clock_after;
}

LOCKSTEP_INLINE void store_edge_anchors(u64 at) {
  LOCKSTEP_ROLLED
  for (u32 i = 0; i < kEdgeAnchors; ++i) store_anchor(at + i * sizeof(Anchor), take_anchor());
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
LOCKSTEP_INLINE u32 block_slot(char* buffer, const Words4& choice, u64 table_offset, u32 launch,
                               u64 block64, u32 sm) {
  const u32 step = choice.c, entries = choice.d;
  if (block64 >= kNotSelected) return kNotSelected;
  const u32 block = static_cast<u32>(block64);
  char* table = buffer + table_offset;
  switch (choice.b) {
    case kAllBlocks:
      return block;
    case kEveryNth:
      return step != 0 && block % step == 0 ? block / step : kNotSelected;
    case kListed:
      return block < entries ? reinterpret_cast<const u32*>(table)[block] : kNotSelected;
    case kOnePerSm:
      return claim_multiprocessor(reinterpret_cast<u64*>(table), entries, launch, block, sm)
                 ? sm
                 : kNotSelected;
    default:
      return kNotSelected;
  }
}

LOCKSTEP_INLINE u64 pair(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }

// The parts of lane `index`, counted over all kept launches.
LOCKSTEP_INLINE LanePlace place_of(const char* buffer, u64 index, const Words4& sizes,
                                   const Words4& offsets, const Words4& more_offsets) {
  const u64 base = reinterpret_cast<u64>(buffer);
  LanePlace place;
  place.lane_bytes = sizes.a;
  place.anchor_capacity = sizes.b;
  place.anchor_interval = sizes.c;
  place.head = base + pair(offsets.c, offsets.d) + index * sizeof(LaneHead);
  place.anchors = base + pair(more_offsets.a, more_offsets.b) + index * (sizes.b * sizeof(Anchor));
  place.records = base + pair(more_offsets.c, more_offsets.d) + index * sizes.a;
  return place;
}

LOCKSTEP_INLINE void store_head(u64 at, u32 session, u32 launch, u32 lane, u32 group, u64 block,
                                u32 sm, u32 flags) {
  const Extent grid = grid_extent(), size = block_extent(), cluster = cluster_extent();
  const u64 id = grid_id();
  const bool clustered = cluster.x * cluster.y * cluster.z > 1;
  const u32 shape = clustered ? cluster.x | cluster.y << 8 | cluster.z << 16 : 0;
  store_global4(at, session, launch, lane, group, 1);
  store_global4(at + 16, static_cast<u32>(block), static_cast<u32>(block >> 32), sm,
                linear_thread(), 1);
  store_global4(at + 32, grid.x, grid.y, grid.z, shape, 1);
  store_global4(at + 48, size.x, size.y, size.z, cluster_rank(), 1);
  store_global4(at + 64, static_cast<u32>(id), static_cast<u32>(id >> 32), flags, kNoSm, 1);
}

// Finds the lane of this leader and group, writes the first part of its head and begins its clock.
LOCKSTEP_INLINE LanePlace open_lane(void* memory, u32 group, u32 flags) {
  char* buffer = static_cast<char*>(memory);
  // All loads together: they are one trip to memory.
  const Words4 identity = load_fresh4(buffer);
  const Words4 state = load_fresh4(buffer + 16);
  const Words4 choice = load_fresh4(buffer + 32);
  const Words4 sizes = load_fresh4(buffer + 48);
  const Words4 offsets = load_fresh4(buffer + 64);
  const Words4 more_offsets = load_fresh4(buffer + 80);
  const u32 launch = state.a, slots = state.b, lanes = state.d, groups = choice.a;
  if (state.c == 0) return {};
  const u64 block = linear_block();
  const u32 sm = multiprocessor();
  const u32 slot = block_slot(buffer, choice, pair(offsets.a, offsets.b), launch, block, sm);
  if (slot == kNotSelected) return {};
  const u64 lane = static_cast<u64>(slot) * groups + group;
  if (group >= groups || lane >= lanes) {
    add_one(&reinterpret_cast<Control*>(buffer)->lost_leaders);
    return {};
  }
  const u64 index = static_cast<u64>(launch & (slots - 1)) * lanes + lane;
  const LanePlace place = place_of(buffer, index, sizes, offsets, more_offsets);
  store_head(place.head, identity.d, launch, static_cast<u32>(lane), group, block, sm, flags);
  store_edge_anchors(place.head + 96);
  return place;
}

// The parts of a lane again, from the address of its head, so that no register holds them
// meanwhile.
LOCKSTEP_INLINE LanePlace reopen_lane(void* memory, u64 head) {
  char* buffer = static_cast<char*>(memory);
  const Words4 sizes = load_fresh4(buffer + 48);
  const Words4 offsets = load_fresh4(buffer + 64);
  const Words4 more_offsets = load_fresh4(buffer + 80);
  const u64 heads = reinterpret_cast<u64>(buffer) + pair(offsets.c, offsets.d);
  return place_of(buffer, (head - heads) / sizeof(LaneHead), sizes, offsets, more_offsets);
}
// The same from an address inside its records.
LOCKSTEP_INLINE LanePlace reopen_lane_at(void* memory, u64 inside_records) {
  char* buffer = static_cast<char*>(memory);
  const Words4 sizes = load_fresh4(buffer + 48);
  const Words4 offsets = load_fresh4(buffer + 64);
  const Words4 more_offsets = load_fresh4(buffer + 80);
  const u64 records = reinterpret_cast<u64>(buffer) + pair(more_offsets.c, more_offsets.d);
  return place_of(buffer, (inside_records - records) / sizes.a, sizes, offsets, more_offsets);
}

// The rest of the head.
LOCKSTEP_INLINE void close_lane(u64 head, u32 flags, u64 seen, u32 capacity, u32 anchors_taken) {
  store_edge_anchors(head + 96 + kEdgeAnchors * sizeof(Anchor));
  store_global2(head + 72, flags | kFinalized, multiprocessor(), 1);
  store_global4(head + 80, static_cast<u32>(seen), static_cast<u32>(seen >> 32), capacity,
                anchors_taken, 1);
}

// An anchor between begin and end. Intervals double when half of the rest is used, so that a few
// anchors span a long kernel. Returns ns until the next one is due.
LOCKSTEP_INLINE u32 store_interior_anchor(const LanePlace& place, u32 taken) {
  if (taken < place.anchor_capacity) {
    store_anchor(place.anchors + taken * sizeof(Anchor), take_anchor());
  }
  u32 interval = place.anchor_interval;
  LOCKSTEP_ROLLED
  for (u32 used = place.anchor_capacity / 2; used != 0 && taken >= used && interval < 1U << 30;) {
    interval *= 2;
    taken -= used;
    used /= 2;
  }
  return interval;
}

// The same as calls: a marker that checks whether one is due holds no more than the call.
LOCKSTEP_COLD u32 take_interior_anchor_of(void* buffer, u64 head, u32 taken) {
  return store_interior_anchor(reopen_lane(buffer, head), taken);
}
LOCKSTEP_COLD u32 take_interior_anchor_at(void* buffer, u64 inside_records, u32 taken) {
  return store_interior_anchor(reopen_lane_at(buffer, inside_records), taken);
}

}  // namespace profile
}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_LANE_H
