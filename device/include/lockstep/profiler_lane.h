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
  u32 lane_bytes = 0;
  u32 anchor_interval = 0;
};

// Readings of the timer in a row, without a branch between them: half a tick of 32 ns. More would
// find the step sooner and hold more registers.
constexpr u32 kAnchorBurst = 4;
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
LOCKSTEP_INLINE u32 block_slot(char* buffer, const Words4& choice, u32 launch, u64 block64,
                               u32 sm) {
  const u32 step = choice.c, entries = choice.d;
  if (block64 >= kNotSelected) return kNotSelected;
  const u32 block = static_cast<u32>(block64);
  if (__builtin_expect(choice.b == kAllBlocks, 1)) return block;
  char* table = buffer + reinterpret_cast<const Control*>(buffer)->selection_offset;
  switch (choice.b) {
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

constexpr u32 kBeginAnchorAt = 96;  // in LaneHead
constexpr u32 kEndAnchorAt = kBeginAnchorAt + sizeof(Anchor);

LOCKSTEP_INLINE u64 pair(u32 low, u32 high) { return static_cast<u64>(high) << 32 | low; }

// In Control.
constexpr u32 kSessionAt = 12, kStateAt = 16, kChoiceAt = 32, kSizesAt = 48, kHeadsAt = 72,
              kAnchorsAt = 80, kRecordsAt = 88;

// The parts of lane `index`, counted over all kept launches.
LOCKSTEP_INLINE u64 head_of(const char* buffer, u32 index) {
  return reinterpret_cast<u64>(buffer) + load_pair(buffer + kHeadsAt) +
         static_cast<u64>(index) * sizeof(LaneHead);
}
LOCKSTEP_INLINE u64 records_of(const char* buffer, u32 index, u32 lane_bytes) {
  return reinterpret_cast<u64>(buffer) + load_pair(buffer + kRecordsAt) +
         static_cast<u64>(index) * lane_bytes;
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
// `is_fresh`: the launch number may be younger than this kernel (programmatic dependent launch).
LOCKSTEP_INLINE LanePlace open_lane(void* memory, u32 group, u32 flags, bool is_fresh) {
  char* buffer = static_cast<char*>(memory);
  // One trip to memory for the line of the control block, and the anchor meanwhile; what is loaded
  // after it comes from the first-level cache. Few values are held at a time: a kernel of 32
  // registers must stay one.
  const Words4 state = load4(buffer + kStateAt);
  const u32 fresh = is_fresh ? load_fresh(&reinterpret_cast<Control*>(buffer)->launch) : 0;
  const Anchor begin = take_anchor();
  if (state.c == 0) return {};
  const u32 launch = is_fresh ? fresh : state.a;
  const u64 block = linear_block();
  const u32 sm = multiprocessor();
  const Words4 choice = load4(buffer + kChoiceAt);
  const u32 slot = block_slot(buffer, choice, launch, block, sm);
  if (slot == kNotSelected) return {};
  const u32 lanes = state.d, groups = choice.a;
  // The host keeps lanes x launch slots below 2^32.
  const u32 lane = slot * groups + group;
  if (__builtin_expect(group >= groups || slot > lanes / groups || lane >= lanes, 0)) {
    add_one(&reinterpret_cast<Control*>(buffer)->lost_leaders);
    return {};
  }
  const u32 index = (launch & (state.b - 1)) * lanes + lane;
  LanePlace place;
  place.head = head_of(buffer, index);
  store_anchor(place.head + kBeginAnchorAt, begin);
  store_head(place.head, load_word(buffer + kSessionAt), launch, lane, group, block, sm, flags);
  const Words4 sizes = load4(buffer + kSizesAt);
  place.lane_bytes = sizes.a;
  place.anchor_interval = sizes.c;
  place.records = records_of(buffer, index, sizes.a);
  return place;
}

// The lane again, from the address of its head or from one inside its records, so that no register
// holds it meanwhile.
LOCKSTEP_INLINE u32 lane_with_head(const char* buffer, u64 head) {
  const u64 heads = reinterpret_cast<u64>(buffer) + load_pair(buffer + kHeadsAt);
  return static_cast<u32>((head - heads) / sizeof(LaneHead));
}
LOCKSTEP_INLINE u32 lane_with_record(const char* buffer, u64 address, u32 lane_bytes) {
  const u64 records = reinterpret_cast<u64>(buffer) + load_pair(buffer + kRecordsAt);
  // A shift: lane_bytes is a power of two.
  return static_cast<u32>((address - records) >> lowest(lane_bytes));
}

// The rest of the head.
LOCKSTEP_INLINE void close_lane(u64 head, u32 flags, u64 seen, u32 capacity, u32 anchors_taken) {
  store_anchor(head + kEndAnchorAt, take_anchor());
  store_global2(head + 72, flags | kFinalized, multiprocessor(), 1);
  store_global4(head + 80, static_cast<u32>(seen), static_cast<u32>(seen >> 32), capacity,
                anchors_taken, 1);
}

// An anchor between begin and end. Intervals double when half of the rest is used, so that a few
// anchors span a long kernel. Returns ns until the next one is due.
LOCKSTEP_INLINE u32 store_interior_anchor(const char* buffer, u32 index, u32 taken) {
  const Anchor anchor = take_anchor();
  const Words4 sizes = load4(buffer + kSizesAt);
  const u32 capacity = sizes.b;
  if (taken < capacity) {
    const u64 anchors = reinterpret_cast<u64>(buffer) + load_pair(buffer + kAnchorsAt);
    store_anchor(anchors + (static_cast<u64>(index) * capacity + taken) * sizeof(Anchor), anchor);
  }
  u32 interval = sizes.c;
  LOCKSTEP_ROLLED
  for (u32 used = capacity / 2; used != 0 && taken >= used && interval < 1U << 30;) {
    interval *= 2;
    taken -= used;
    used /= 2;
  }
  return interval;
}

// The same as calls: a marker that checks whether one is due holds no more than the call.
LOCKSTEP_COLD u32 take_interior_anchor_of(const char* buffer, u64 head, u32 taken) {
  return store_interior_anchor(buffer, lane_with_head(buffer, head), taken);
}
LOCKSTEP_COLD u32 take_interior_anchor_at(const char* buffer, u64 record, u32 taken) {
  const u32 lane_bytes = load_word(buffer + kSizesAt);
  return store_interior_anchor(buffer, lane_with_record(buffer, record, lane_bytes), taken);
}

}  // namespace profile
}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_LANE_H
