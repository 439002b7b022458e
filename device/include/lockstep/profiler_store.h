// Where markers put their records: shared memory that is copied at the end, or global memory. The
// cursors of the overflow policies, and how a lane begins and ends.
#ifndef LOCKSTEP_PROFILER_STORE_H
#define LOCKSTEP_PROFILER_STORE_H

#include "profiler_lane.h"
#include "profiler_policy.h"

namespace lockstep {
namespace profile {

template <class Policy>
constexpr u32 kFlagsOf = kPlatformFlags | (Policy::kRegions ? kRegionRecords : 0) |
                         (Policy::kOverflow == Overflow::kRing ? kRing : 0) |
                         (Policy::kOverflow == Overflow::kNone ? kUnchecked : 0) |
                         (Policy::kElected ? kElected : 0) | (Policy::kStrict ? kStrict : 0);

template <class Policy>
constexpr u32 kRecordBytes = Policy::kRegions ? sizeof(Region) : sizeof(Record);

LOCKSTEP_INLINE u32 smaller(u32 a, u32 b) { return a < b ? a : b; }

// make_tag() for kernels: a constexpr function of the host cannot be called there.
LOCKSTEP_INLINE u32 tag_of(u32 type, u32 flags, u32 event, u32 payload) {
  return type << 30 | flags << 28 | (event & (kEvents - 1)) << 16 | (payload & 0xFFFFU);
}

// Records in shared memory, moved to the lane at the end.
template <class Policy, class Room>
class SharedStore {
 public:
  static constexpr u32 kBytes = kRecordBytes<Policy>;
  static constexpr u32 kCapacity = Room::kRecords * sizeof(Record) / kBytes;
  static constexpr bool kIsRing = Policy::kOverflow == Overflow::kRing;
  static_assert(!kIsRing || (kCapacity & (kCapacity - 1)) == 0,
                "a ring has a power of two of records");
  static_assert(!Policy::kElected || (!Policy::kRegions && Policy::kOverflow == Overflow::kStop),
                "elected markers write plain records and stop when full");

  // Not 0: this thread writes. kStop needs no register for it: only leaders have a spare slot.
  [[nodiscard]] LOCKSTEP_INLINE u32 leads() const { return kLeadIsFixed ? fixed_ : lead_; }
  LOCKSTEP_INLINE void detach() { (kLeadIsFixed ? fixed_ : lead_) = 0; }

  // For every thread, at once: an address that only some paths set would take two registers until
  // the end.
  LOCKSTEP_INLINE void set_room(Room& room) { room_ = &room; }

  LOCKSTEP_INLINE void attach(void* buffer, u32 group, u32 wants) {
    // Not counted as lost: a way out of here with an atomic in it costs init 350 cycles.
    if (group >= Room::kGroups) return;
    const u32 base = shared_address(room_->bytes) + group * Room::kLaneBytes;
    // Of elected lanes any thread may write, so all know the lane.
    if constexpr (Policy::kElected) {
      fixed_ = base + kCapacity * kBytes;
      // Who is here before the branch: behind it the leader may not have come back yet.
      const ActiveLanes lanes = active_lanes();
      if (wants != 0) open(buffer, base);
      join(lanes);
    } else if (wants != 0) {
      open(buffer, base);
    }
  }

  LOCKSTEP_INLINE void mark(u32 tag) {
    if constexpr (Policy::kElected) {
      mark_elected(base() + kCursorAt, base(), kCapacity, tag, fixed_);
    } else {
      mark_shared(address(), tag, leads());
      advance();
    }
  }
  LOCKSTEP_INLINE void store(u32 a, u32 b) {
    store_shared2(address(), a, b, leads());
    advance();
  }
  LOCKSTEP_INLINE void store(u32 a, u32 b, u32 c, u32 d) {
    store_shared4(address(), a, b, c, d, leads());
    advance();
  }

  // Returns ns until the next one is due; 0: never.
  LOCKSTEP_INLINE u32 take_interior_anchor(void* buffer, u32 taken) const {
    return take_interior_anchor_of(static_cast<char*>(buffer), group(), taken,
                                   Policy::kOverlapsPrevious);
  }

  // Moves what was written and describes the lane. All threads of the warp that are here take part
  // where there is no bulk copy.
  LOCKSTEP_INLINE void flush(void* buffer, u32 anchors_taken) {
#if defined(LOCKSTEP_BULK_COPY)
    if constexpr (Policy::kElected) {
      // What other threads have stored is copied too.
      publish_to_bulk_copy();
      join(active_lanes());
    }
    if (leads() == 0) return;
    Copy copy;
    describe(static_cast<char*>(buffer), anchors_taken, copy);
    end_bulk_copy();
#else
    Copy copy;
    if (leads() != 0) describe(static_cast<char*>(buffer), anchors_taken, copy);
    copy_by_active_lanes(copy);
#endif
  }

 private:
  static constexpr bool kLeadIsFixed = Policy::kOverflow == Overflow::kStop && !Policy::kElected;
  static constexpr u32 kCursorAt = Room::kState + 28;  // of elected lanes

  // From the lane's staging to its records.
  struct Copy {
    u64 to = 0;
    u32 bytes = 0;
  };

  // Waits for no memory: which lane this is, the end will find out from what is copied here.
  LOCKSTEP_INLINE void open(const void* buffer, u32 base) {
    const u32 state = base + Room::kState;
    const char* control = static_cast<const char*>(buffer);
    for (u32 at = 0; at < kControlBytes; at += 16) begin_load16(state + 32 + at, control + at);
    const u64 block = linear_block();
    store_shared4(state + 80, low(block), high(block), linear_thread(), 0, 1);
    const Anchor begin = take_anchor();
    store_shared4(state, low(begin.timer), high(begin.timer), low(begin.clock_before),
                  high(begin.clock_before), 1);
    store_shared4(state + 16, low(begin.clock_after), high(begin.clock_after), multiprocessor(), 0,
                  1);
    cursor_ = kIsRing ? 0 : base;
    fixed_ = Policy::kOverflow == Overflow::kStop ? base + kCapacity * kBytes : base;
    if constexpr (!kLeadIsFixed) lead_ = 1;
  }
  static LOCKSTEP_INLINE u32 low(u64 value) { return static_cast<u32>(value); }
  static LOCKSTEP_INLINE u32 high(u64 value) { return static_cast<u32>(value >> 32); }

  [[nodiscard]] LOCKSTEP_INLINE u32 base() const {
    return Policy::kOverflow == Overflow::kStop ? fixed_ - kCapacity * kBytes : fixed_;
  }
  [[nodiscard]] LOCKSTEP_INLINE u32 address() const {
    return kIsRing ? fixed_ + (cursor_ & (kCapacity * kBytes - 1)) : cursor_;
  }
  LOCKSTEP_INLINE void advance() {
    if constexpr (Policy::kOverflow == Overflow::kStop) {
      // Saturates at the spare slot: no compare, whose predicate would be waited for.
      cursor_ = smaller(cursor_ + kBytes, fixed_);
      ++count_;
    } else {
      cursor_ += kBytes;
    }
  }
  [[nodiscard]] LOCKSTEP_INLINE u32 seen() const {
    if constexpr (Policy::kOverflow == Overflow::kStop) return count_;
    return (kIsRing ? cursor_ : cursor_ - fixed_) / kBytes;
  }
  [[nodiscard]] LOCKSTEP_INLINE u32 group() const {
    return (base() - shared_address(room_->bytes)) / Room::kLaneBytes;
  }
  LOCKSTEP_INLINE void describe(char* buffer, u32 anchors_taken, Copy& copy) {
    if constexpr (Policy::kElected) count_ = load_shared_word(base() + kCursorAt);
    end_loads();
    const u32 state = base() + Room::kState;
    const ControlWords control = {load_shared4(state + 32), load_shared4(state + 48),
                                  load_shared4(state + 64)};
    const Words4 self = load_shared4(state + 80);
    const LanePlace place =
        find_lane(buffer, control, pair(self.a, self.b), group(), Policy::kOverlapsPrevious);
    if (!place.found) return;
    // A ring that does not fit its lane would lose its newest records: it needs all of itself.
    u32 capacity = smaller(kCapacity, control.choice.c / kBytes);
    if (kIsRing && capacity < kCapacity) capacity = 0;
    copy.bytes = (smaller(seen(), capacity) * kBytes + 15) & ~15U;
    copy.to = records_of(buffer, control, place.index);
#if defined(LOCKSTEP_BULK_COPY)
    if (copy.bytes != 0) begin_bulk_copy(copy.to, base(), copy.bytes);
#endif
    // Meanwhile the anchor and the head.
    const u64 head = head_of(buffer, control, place.index);
    store_anchor(head + kEndAnchorAt, take_anchor());
    const Words4 first = load_shared4(state), second = load_shared4(state + 16);
    store_anchor(head + kBeginAnchorAt,
                 {pair(first.a, first.b), pair(first.c, first.d), pair(second.a, second.b)});
    reinterpret_cast<LaneHead*>(head)->sm_begin = second.c;
    store_head(head, control.state.d, place, group(),
               {self.c, kFlagsOf<Policy> | kStaged, seen(), capacity, anchors_taken});
  }
  LOCKSTEP_INLINE void copy_by_active_lanes(const Copy& mine) const {
    const ActiveLanes lanes = active_lanes();
    const u32 my_base = leads() != 0 ? base() : 0;
    LaneMask leaders = lanes_with(lanes, mine.bytes != 0);
    if (leaders != 0) join(lanes);  // what a leader has stored is read by all
    LOCKSTEP_ROLLED
    for (; leaders != 0; leaders &= leaders - 1) {
      const u32 leader = lowest(leaders);
      const u32 bytes = value_of_lane(lanes, mine.bytes, leader);
      const u32 from = value_of_lane(lanes, my_base, leader);
      const u64 to = pair(value_of_lane(lanes, low(mine.to), leader),
                          value_of_lane(lanes, high(mine.to), leader));
      LOCKSTEP_ROLLED
      for (u32 at = lanes.rank * 16; at < bytes; at += lanes.count * 16) copy16(to + at, from + at);
    }
  }

  Room* room_ = nullptr;
  u32 cursor_ = 0;  // address of the next record; of a ring: bytes so far
  u32 fixed_ = 0;   // kStop: the spare slot; else the first record
  u32 count_ = 0;   // kStop: events so far; one add for a run of markers
  u32 lead_ = 0;    // unless fixed_ tells
};

// Records straight to global memory.
template <class Policy>
class GlobalStore {
 public:
  static constexpr u32 kBytes = kRecordBytes<Policy>;
  static constexpr bool kIsRing = Policy::kOverflow == Overflow::kRing;
  static_assert(!Policy::kElected, "elected markers need a cursor in shared memory");

  [[nodiscard]] LOCKSTEP_INLINE u32 leads() const { return kLeadIsLimit ? limit_ : lead_; }
  LOCKSTEP_INLINE void detach() { (kLeadIsLimit ? limit_ : lead_) = 0; }

  LOCKSTEP_INLINE void attach(void* buffer, u32 group) {
    const ControlWords control = load_control(buffer);
    const Anchor begin = take_anchor();
    const LanePlace place =
        find_lane(buffer, control, linear_block(), group, Policy::kOverlapsPrevious);
    if (!place.found) return;
    const u64 head = head_of(buffer, control, place.index);
    store_anchor(head + kBeginAnchorAt, begin);
    reinterpret_cast<LaneHead*>(head)->sm_begin = multiprocessor();
    const u32 lane_bytes = control.choice.c;
    const u64 records = records_of(buffer, control, place.index);
    low_ = static_cast<u32>(records);
    high_ = static_cast<u32>(records >> 32);
    mask_ = lane_bytes - 1;
    // The spare slot is the last but one: a lane may end at a 4 GiB line, and one step behind its
    // last slot the low word would be 0, which is below any limit.
    if constexpr (Policy::kOverflow == Overflow::kStop) limit_ = low_ + lane_bytes - 2 * kBytes;
    if constexpr (Policy::kOverflow == Overflow::kNone) at_ = records;
    if constexpr (!kLeadIsLimit) lead_ = 1;
  }

  LOCKSTEP_INLINE void mark(u32 tag) {
    if constexpr (Policy::kOverflow == Overflow::kNone) {
      mark_global(address(), tag, leads());
    } else {
      mark_global(low_word(), high_, tag, leads());
    }
    advance();
  }
  LOCKSTEP_INLINE void store(u32 a, u32 b) {
    store_global2(address(), a, b, leads());
    advance();
  }
  LOCKSTEP_INLINE void store(u32 a, u32 b, u32 c, u32 d) {
    store_global4(address(), a, b, c, d, leads());
    advance();
  }
  LOCKSTEP_INLINE u32 take_interior_anchor(void* buffer, u32 taken) const {
    return take_interior_anchor_at(static_cast<const char*>(buffer), pair(low_, high_), taken);
  }
  LOCKSTEP_INLINE void flush(void* buffer, u32 anchors_taken) {
    if (leads() == 0) return;
    const ControlWords control = load_control(buffer);
    const Anchor end = take_anchor();
    LanePlace place;
    place.index = lane_with_record(buffer, control, pair(low_, high_));
    place.lane = place.index % control.state.c;
    place.launch =
        Policy::kOverlapsPrevious ? load_fresh(static_cast<const u32*>(buffer)) : control.state.a;
    place.block = linear_block();
    const u64 head = head_of(buffer, control, place.index);
    store_anchor(head + kEndAnchorAt, end);
    const u32 slots = control.choice.c / kBytes;
    const u32 capacity = Policy::kOverflow == Overflow::kStop ? slots - 2 : slots;
    store_head(head, control.state.d, place, place.lane % control.choice.a,
               {linear_thread(), kFlagsOf<Policy>, seen(), capacity, anchors_taken});
  }

 private:
  // The spare slot is never at 0: a lane has at least 64 bytes.
  static constexpr bool kLeadIsLimit = Policy::kOverflow == Overflow::kStop;

  // Lanes are aligned to their size, so that the low word never carries into the high one.
  [[nodiscard]] LOCKSTEP_INLINE u32 low_word() const {
    return kIsRing ? low_ | (offset_ & mask_) : low_;
  }
  [[nodiscard]] LOCKSTEP_INLINE u64 address() const {
    return Policy::kOverflow == Overflow::kNone ? at_ : pair(low_word(), high_);
  }
  LOCKSTEP_INLINE void advance() {
    if constexpr (Policy::kOverflow == Overflow::kStop) {
      low_ = smaller(low_ + kBytes, limit_);
      ++count_;
    } else if constexpr (kIsRing) {
      offset_ += kBytes;
    } else {
      at_ += kBytes;
    }
  }
  [[nodiscard]] LOCKSTEP_INLINE u32 seen() const {
    if constexpr (Policy::kOverflow == Overflow::kStop) return count_;
    return (kIsRing ? offset_ : static_cast<u32>(at_) - low_) / kBytes;
  }

  u32 low_ = 0;  // kStop: low word of the next record; else of the first one
  u32 high_ = 0;
  u32 limit_ = 0;   // kStop: the spare slot, the last but one of the lane
  u32 count_ = 0;   // kStop: events so far
  u32 mask_ = 0;    // kRing
  u32 offset_ = 0;  // kRing: bytes so far
  u64 at_ = 0;      // kNone: the next record
  u32 lead_ = 0;    // unless limit_ tells
};

}  // namespace profile

}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_STORE_H
