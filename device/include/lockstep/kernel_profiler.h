// Markers inside kernels: where the cycles of one launch go, lane by lane, on one time axis.
//
//   __shared__ lockstep::Staging<2, 64> staging;             // 2 groups, 64 records each
//   lockstep::SharedProfiler<decltype(staging)> p(buffer, staging, threadIdx.x % 128 == 0);
//   p.init(threadIdx.x / 128);
//   p.start(kLoad);  ...  p.next(kLoad, kCompute);  ...  p.end(kCompute);
//   p.finalize();                                            // the destructor does it too
//
// `buffer` is a channel's device memory (lockstep/session.h); nullptr switches off. One thread of
// each group, the leader, writes; every thread may execute the calls, and none of them is a barrier
// or a collective of the warp, so that groups may be any set of threads. Header-only, C++17, for
// CUDA (nvcc, clang, NVRTC) and HIP; docs/guide/kernel-profiler.md is the manual.
#ifndef LOCKSTEP_KERNEL_PROFILER_H
#define LOCKSTEP_KERNEL_PROFILER_H

#include "profiler_policy.h"
#include "profiler_store.h"

namespace lockstep {

// What a begin of a region leaves for its end.
struct RegionStart {
  profile::u32 clock = 0;
};

// The calls of a kernel. SharedProfiler and GlobalProfiler below are the two that users name.
template <class Store, class Policy>
class BasicProfiler {
 public:
  BasicProfiler(const BasicProfiler&) = delete;
  BasicProfiler& operator=(const BasicProfiler&) = delete;

  // Begins the region of `event`, below 4096; start<E>() checks that when compiling.
  LOCKSTEP_INLINE void start(profile::u32 event) { begin(0, event, 0); }
  LOCKSTEP_INLINE void start(profile::u32 event, profile::u32 payload) {
    begin(profile::kHasPayload, event, payload);
  }
  template <auto Event>
  LOCKSTEP_INLINE void start() {
    start(checked<Event>());
  }

  LOCKSTEP_INLINE void end(profile::u32 event) { record(profile::kEnd, 0, event, 0); }
  LOCKSTEP_INLINE void end(profile::u32 event, profile::u32 payload) {
    record(profile::kEnd, profile::kHasPayload, event, payload);
  }
  template <auto Event>
  LOCKSTEP_INLINE void end() {
    end(checked<Event>());
  }

  LOCKSTEP_INLINE void instant(profile::u32 event) { record(profile::kInstant, 0, event, 0); }
  LOCKSTEP_INLINE void instant(profile::u32 event, profile::u32 payload) {
    record(profile::kInstant, profile::kHasPayload, event, payload);
  }

  // Ends `ended` and begins `begun` at one reading of the clock, in one record.
  LOCKSTEP_INLINE void next(profile::u32 ended, profile::u32 begun) {
    record(profile::kSwitch, 0, begun, ended & (profile::kEvents - 1));
  }

  // Work that one lane begins and any lane of the launch ends; the token, 16 bits, pairs them.
  LOCKSTEP_INLINE void begin_async(profile::u32 event, profile::u32 token) {
    begin(profile::kAsync, event, token);
  }
  LOCKSTEP_INLINE void end_async(profile::u32 event, profile::u32 token) {
    record(profile::kEnd, profile::kAsync, event, token);
  }

  // A region. With RegionPolicy it is one record, written at its end; else a start and an end.
  LOCKSTEP_INLINE RegionStart region_begin(profile::u32 event) {
    if constexpr (Policy::kEnabled && Policy::kRegions) {
      take_due_anchor(is_due_);
      const RegionStart opened{profile::clock32()};
      if constexpr (Policy::kStrict) profile::fence_block();
      return opened;
    } else {
      start(event);
      return {};
    }
  }
  LOCKSTEP_INLINE void region_end(profile::u32 event, RegionStart opened,
                                  profile::u32 payload = 0) {
    if constexpr (!Policy::kEnabled) {
      return;
    } else if constexpr (Policy::kRegions) {
      if constexpr (Policy::kStrict) profile::fence_block();
      const profile::u32 flags = payload != 0 ? profile::kHasPayload : 0;
      const profile::u32 clock = profile::clock32();
      store_.store(opened.clock, clock, profile::tag_of(profile::kBegin, flags, event, 0), payload);
      look_for_due_anchor(clock);
    } else {
      payload != 0 ? end(event, payload) : end(event);
    }
  }

  // Ties the clock to time here: about 100 cycles and a trip to memory.
  LOCKSTEP_INLINE void anchor() {
    if constexpr (Policy::kEnabled) {
      if (store_.leads() != 0) take_interior_anchor();
    }
  }

  // Ends the lane. Threads that need no record may return without it.
  LOCKSTEP_INLINE void finalize() {
    if constexpr (Policy::kEnabled) {
      store_.flush(buffer_, anchors_taken_);
      store_.detach();
    }
  }

 protected:
  LOCKSTEP_INLINE BasicProfiler(void* buffer, bool leader, bool enabled) {
    if constexpr (Policy::kEnabled) {
      buffer_ = buffer;
      const bool is_on = enabled && buffer != nullptr;
      wants_ = is_on && leader ? kLeads : is_on && Policy::kElected ? kMayWrite : 0;
    }
  }
  LOCKSTEP_INLINE ~BasicProfiler() {
    if constexpr (Policy::kEnabled) {
      if (store_.leads() != 0) finalize();
    }
  }

  // Clock of the next interior anchor, from ns; a clock of 2 GHz is taken, which need not be exact.
  LOCKSTEP_INLINE void schedule(profile::u32 interval_ns) {
    due_ = profile::clock32() + (interval_ns != 0 ? interval_ns * 2 : kNever);
  }

  template <auto Event>
  static LOCKSTEP_INLINE constexpr profile::u32 checked() {
    constexpr auto kEvent = static_cast<unsigned long long>(Event);
    static_assert(kEvent < profile::kEvents, "an event is below 4096");
    return static_cast<profile::u32>(kEvent);
  }

  LOCKSTEP_INLINE void begin(profile::u32 flags, profile::u32 event, profile::u32 payload) {
    if constexpr (Policy::kEnabled) {
      take_due_anchor(is_due_);  // before the region, as an end has it after
      write(profile::tag_of(profile::kBegin, flags, event, payload), payload);
      if constexpr (Policy::kStrict) profile::fence_block();
    }
  }
  LOCKSTEP_INLINE void record(profile::u32 type, profile::u32 flags, profile::u32 event,
                              profile::u32 payload) {
    if constexpr (Policy::kEnabled) {
      if constexpr (Policy::kStrict) profile::fence_block();
      const bool was_due = is_due_;
      write(profile::tag_of(type, flags, event, payload), payload);
      if constexpr (Policy::kStrict) {
        if (type == profile::kSwitch) profile::fence_block();
      }
      take_due_anchor(was_due);
    }
  }
  LOCKSTEP_INLINE void write(profile::u32 tag, profile::u32 payload) {
    if constexpr (Policy::kRegions) {
      const profile::u32 clock = profile::clock32();
      store_.store(clock, clock, (tag & ~0xFFFFU) | profile::kEdgeAmongRegions, payload);
      look_for_due_anchor(clock);
    } else if constexpr (Policy::kInteriorAnchors) {
      const profile::u32 clock = profile::clock32();
      store_.store(clock, tag);
      look_for_due_anchor(clock);
    } else {
      store_.mark(tag);
    }
  }

  // Found at one marker and taken at the next: the compare is not waited for.
  LOCKSTEP_INLINE void look_for_due_anchor(profile::u32 clock) {
    if constexpr (Policy::kInteriorAnchors) {
      is_due_ = static_cast<int>(clock - due_) >= 0 && store_.leads() != 0;
    }
  }
  LOCKSTEP_INLINE void take_due_anchor(bool is_due) {
    if constexpr (Policy::kInteriorAnchors) {
      if (is_due) take_interior_anchor();
    }
  }
  LOCKSTEP_INLINE void take_interior_anchor() {
    const profile::u32 interval = store_.take_interior_anchor(buffer_, anchors_taken_);
    ++anchors_taken_;
    if constexpr (Policy::kInteriorAnchors) {
      schedule(interval);
      is_due_ = false;
    }
  }

  static constexpr profile::u32 kNever = 0x7000'0000U;
  static_assert(!Policy::kInteriorAnchors || !Policy::kOverlapsPrevious,
                "interior anchors need the number of the launch, which an overlapped one learns "
                "at its end");

  static_assert(!Policy::kInteriorAnchors || !Policy::kElected,
                "interior anchors are taken by the leader, which elected markers do without");

  // Of wants_.
  static constexpr profile::u32 kLeads = 1;
  static constexpr profile::u32 kMayWrite = 2;  // any thread, of elected lanes

  Store store_;
  void* buffer_ = nullptr;
  profile::u32 wants_ = 0;
  profile::u32 anchors_taken_ = 0;
  profile::u32 due_ = 0;  // clock of the next interior anchor
  bool is_due_ = false;
};

// Records staged in shared memory: the cheapest marker, and a copy at the end.
template <class Room, class Policy = DefaultPolicy>
class SharedProfiler : public BasicProfiler<profile::SharedStore<Policy, Room>, Policy> {
  using Base = BasicProfiler<profile::SharedStore<Policy, Room>, Policy>;

 public:
  // `leader` is true for one thread of each group: the one that writes. `enabled` false switches
  // off at run time.
  LOCKSTEP_INLINE SharedProfiler(void* buffer, Room& room, bool leader, bool enabled = true)
      : Base(buffer, leader, enabled) {
    if constexpr (Policy::kEnabled) this->store_.set_room(room);
  }

  // Once for each thread, before its first marker.
  LOCKSTEP_INLINE void init(profile::u32 group) {
    if constexpr (Policy::kEnabled) {
      if (this->wants_ == 0) return;
      this->store_.attach(this->buffer_, group, this->wants_ == Base::kLeads ? 1 : 0);
      if constexpr (Policy::kInteriorAnchors) {
        if (this->store_.leads() != 0) this->schedule(profile::kFirstAnchorNs);
      }
    }
  }
};

// Records written straight to global memory: no shared memory is needed.
template <class Policy = DefaultPolicy>
class GlobalProfiler : public BasicProfiler<profile::GlobalStore<Policy>, Policy> {
  using Base = BasicProfiler<profile::GlobalStore<Policy>, Policy>;

 public:
  LOCKSTEP_INLINE GlobalProfiler(void* buffer, bool leader, bool enabled = true)
      : Base(buffer, leader, enabled) {}

  LOCKSTEP_INLINE void init(profile::u32 group) {
    if constexpr (Policy::kEnabled) {
      if (this->wants_ == 0) return;
      this->store_.attach(this->buffer_, group);
      if constexpr (Policy::kInteriorAnchors) {
        if (this->store_.leads() != 0) this->schedule(profile::kFirstAnchorNs);
      }
    }
  }
};

}  // namespace lockstep

#endif  // LOCKSTEP_KERNEL_PROFILER_H
