// The platform of NVIDIA GPUs, sm_70 and later, in PTX. Included by profiler_platform.h.
//
// Markers are single asm blocks with a predicate of their own: an `if` around a store would cost a
// BSSY/BSYNC pair, and a compare per marker its latency. ptxas keeps the predicate of the leader.
#ifndef LOCKSTEP_PROFILER_PLATFORM_NVIDIA_H
#define LOCKSTEP_PROFILER_PLATFORM_NVIDIA_H

namespace lockstep {
namespace profile {

// Cycle counters count cycles here.
constexpr u32 kPlatformFlags = 0;

LOCKSTEP_INLINE u32 clock32() {
  u32 value;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(value)::"memory");
  return value;
}
LOCKSTEP_INLINE u64 clock64() {
  u64 value;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(value)::"memory");
  return value;
}
LOCKSTEP_INLINE u64 timer64() {
  u64 value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value)::"memory");
  return value;
}
LOCKSTEP_INLINE u32 timer32() {
  u32 value;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(value)::"memory");
  return value;
}

struct Extent {
  u32 x, y, z;
};
#define LOCKSTEP_EXTENT(name, reg)               \
  LOCKSTEP_INLINE Extent name() {                \
    Extent e;                                    \
    asm("mov.u32 %0, %%" reg ".x;" : "=r"(e.x)); \
    asm("mov.u32 %0, %%" reg ".y;" : "=r"(e.y)); \
    asm("mov.u32 %0, %%" reg ".z;" : "=r"(e.z)); \
    return e;                                    \
  }
LOCKSTEP_EXTENT(thread_index, "tid")
LOCKSTEP_EXTENT(block_extent, "ntid")
LOCKSTEP_EXTENT(block_index, "ctaid")
LOCKSTEP_EXTENT(grid_extent, "nctaid")
#if __CUDA_ARCH__ >= 900
LOCKSTEP_EXTENT(cluster_extent, "cluster_nctaid")
#else
LOCKSTEP_INLINE Extent cluster_extent() { return {1, 1, 1}; }
#endif
#undef LOCKSTEP_EXTENT

LOCKSTEP_INLINE u32 cluster_rank() {
  u32 value = 0;
#if __CUDA_ARCH__ >= 900
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(value));
#endif
  return value;
}
LOCKSTEP_INLINE u64 grid_id() {
  u64 value;
  asm("mov.u64 %0, %%gridid;" : "=l"(value));
  return value;
}
// Volatile: a preempted block may go on elsewhere.
LOCKSTEP_INLINE u32 multiprocessor() {
  u32 value;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(value));
  return value;
}

// The address of shared memory as markers use it.
LOCKSTEP_INLINE u32 shared_address(const void* pointer) {
  u64 address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(pointer));
  return static_cast<u32>(address);
}

// -- Markers: the clock and a word, stored by the leader only.

LOCKSTEP_INLINE void mark_shared(u32 at, u32 tag, u32 lead) {
  asm volatile(
      "{ .reg .pred p; .reg .u32 c; setp.ne.u32 p, %2, 0; mov.u32 c, %%clock;"
      " @p st.shared.v2.u32 [%0], {c, %1}; }" ::"r"(at),
      "r"(tag), "r"(lead)
      : "memory");
}
LOCKSTEP_INLINE void mark_global(u64 at, u32 tag, u32 lead) {
  asm volatile(
      "{ .reg .pred p; .reg .u32 c; setp.ne.u32 p, %2, 0; mov.u32 c, %%clock;"
      " @p st.global.cs.v2.u32 [%0], {c, %1}; }" ::"l"(at),
      "r"(tag), "r"(lead)
      : "memory");
}
// The low word of the address moves, the high one stays: a pair of registers without a carry.
LOCKSTEP_INLINE void mark_global(u32 low, u32 high, u32 tag, u32 lead) {
  asm volatile(
      "{ .reg .pred p; .reg .u32 c; .reg .u64 a; setp.ne.u32 p, %3, 0; mov.b64 a, {%0, %1};"
      " mov.u32 c, %%clock; @p st.global.cs.v2.u32 [a], {c, %2}; }" ::"r"(low),
      "r"(high), "r"(tag), "r"(lead)
      : "memory");
}

// -- Stores of words that were read before.

LOCKSTEP_INLINE void store_shared2(u32 at, u32 a, u32 b, u32 lead) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %3, 0; @p st.shared.v2.u32 [%0], {%1, %2}; }" ::"r"(at),
      "r"(a), "r"(b), "r"(lead)
      : "memory");
}
LOCKSTEP_INLINE void store_shared4(u32 at, u32 a, u32 b, u32 c, u32 d, u32 lead) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %5, 0; @p st.shared.v4.u32 [%0], {%1, %2, %3, %4}; }" ::"r"(
          at),
      "r"(a), "r"(b), "r"(c), "r"(d), "r"(lead)
      : "memory");
}
LOCKSTEP_INLINE void store_global2(u64 at, u32 a, u32 b, u32 lead) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %3, 0; @p st.global.cs.v2.u32 [%0], {%1, %2}; }" ::"l"(at),
      "r"(a), "r"(b), "r"(lead)
      : "memory");
}
LOCKSTEP_INLINE void store_global4(u64 at, u32 a, u32 b, u32 c, u32 d, u32 lead) {
  asm volatile(
      "{ .reg .pred p; setp.ne.u32 p, %5, 0;"
      " @p st.global.cs.v4.u32 [%0], {%1, %2, %3, %4}; }" ::"l"(at),
      "r"(a), "r"(b), "r"(c), "r"(d), "r"(lead)
      : "memory");
}
LOCKSTEP_INLINE void store_shared_word(u32 at, u32 value) {
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(value) : "memory");
}
LOCKSTEP_INLINE u32 load_shared_word(u32 at) {
  u32 value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(at) : "memory");
  return value;
}

struct Words4 {
  u32 a, b, c, d;
};
LOCKSTEP_INLINE Words4 load_shared4(u32 at) {
  Words4 w;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d)
               : "r"(at)
               : "memory");
  return w;
}
LOCKSTEP_INLINE Words4 load4(const void* at) {
  Words4 w;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(w.a), "=r"(w.b), "=r"(w.c), "=r"(w.d)
               : "l"(at)
               : "memory");
  return w;
}
// Past the first-level cache.
LOCKSTEP_INLINE u32 load_fresh(const u32* at) {
  u32 value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
LOCKSTEP_INLINE u32 load_word(const void* at) {
  u32 value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
LOCKSTEP_INLINE u64 load_pair(const void* at) {
  u64 value;
  asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
}
LOCKSTEP_INLINE void add_one(u32* counter) {
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}
LOCKSTEP_INLINE u64 compare_and_swap(u64* at, u64 expected, u64 desired) {
  u64 old;
  asm volatile("atom.relaxed.gpu.global.cas.b64 %0, [%1], %2, %3;"
               : "=l"(old)
               : "l"(at), "l"(expected), "l"(desired)
               : "memory");
  return old;
}

// What nvcc makes of __threadfence_block().
LOCKSTEP_INLINE void fence_block() { asm volatile("membar.cta;" ::: "memory"); }

// One event of whichever lanes are active: the lowest of them takes the next slot from the shared
// cursor and stores there if it lies inside.
LOCKSTEP_INLINE void mark_elected(u32 cursor, u32 base, u32 capacity, u32 tag, u32 on) {
  asm volatile(
      "{ .reg .pred p, q; .reg .u32 m, l, c, s, a;"
      " activemask.b32 m; mov.u32 l, %%lanemask_lt; and.b32 l, l, m;"
      " setp.eq.u32 p, l, 0; setp.ne.and.u32 p, %4, 0, p; mov.u32 c, %%clock;"
      " mov.u32 s, 0xFFFFFFFF; @p atom.shared.add.u32 s, [%0], 1;"
      " setp.lt.u32 q, s, %2; mad.lo.u32 a, s, 8, %1;"
      " @q st.shared.v2.u32 [a], {c, %3}; }" ::"r"(cursor),
      "r"(base), "r"(capacity), "r"(tag), "r"(on)
      : "memory");
}

// Begins to copy 16 bytes into shared memory; end_loads() waits for all that this thread began, in
// the kernel's own copies too. They join the kernel's next group of copies, if it makes one.
LOCKSTEP_INLINE void begin_load16(u32 to, const void* from) {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  const Words4 w = load4(from);
  store_shared4(to, w.a, w.b, w.c, w.d, 1);
#endif
}
LOCKSTEP_INLINE void end_loads() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

#if __CUDA_ARCH__ >= 900
#define LOCKSTEP_BULK_COPY 1
// Lets the copy engine see this thread's stores to shared memory.
LOCKSTEP_INLINE void publish_to_bulk_copy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// Begins to move `bytes` (a multiple of 16) that ordinary stores have written.
LOCKSTEP_INLINE void begin_bulk_copy(u64 to, u32 from, u32 bytes) {
  publish_to_bulk_copy();
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Until the source has been read: the block may then end.
LOCKSTEP_INLINE void end_bulk_copy() {
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

// -- The warp's active lanes, for the copy at the end.

struct ActiveLanes {
  u32 mask, rank, count;
};
LOCKSTEP_INLINE ActiveLanes active_lanes() {
  ActiveLanes lanes;
  u32 below;
  asm volatile("activemask.b32 %0;" : "=r"(lanes.mask));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm("popc.b32 %0, %1;" : "=r"(lanes.rank) : "r"(below & lanes.mask));
  asm("popc.b32 %0, %1;" : "=r"(lanes.count) : "r"(lanes.mask));
  return lanes;
}
// Waits for them, and sees what they have stored.
LOCKSTEP_INLINE void join(const ActiveLanes& lanes) {
  asm volatile("bar.warp.sync %0;" ::"r"(lanes.mask) : "memory");
}
using LaneMask = u32;
LOCKSTEP_INLINE LaneMask lanes_with(ActiveLanes lanes, bool claim) {
  u32 ballot;
  asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
               : "=r"(ballot)
               : "r"(static_cast<u32>(claim)), "r"(lanes.mask));
  return ballot;
}
LOCKSTEP_INLINE u32 lowest(LaneMask mask) {
  u32 bit;
  asm("{ .reg .u32 t; brev.b32 t, %1; clz.b32 %0, t; }" : "=r"(bit) : "r"(mask));
  return bit;
}
LOCKSTEP_INLINE u32 value_of_lane(ActiveLanes lanes, u32 value, u32 lane) {
  u32 other;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, %3;"
               : "=r"(other)
               : "r"(value), "r"(lane), "r"(lanes.mask));
  return other;
}
LOCKSTEP_INLINE void copy16(u64 to, u32 from) {
  asm volatile(
      "{ .reg .u32 a, b, c, d; ld.shared.v4.u32 {a, b, c, d}, [%1];"
      " st.global.v4.u32 [%0], {a, b, c, d}; }" ::"l"(to),
      "r"(from)
      : "memory");
}

}  // namespace profile
}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_PLATFORM_NVIDIA_H
