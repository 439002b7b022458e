// The platform of AMD GPUs, by clang's builtins. Included by profiler_platform.h. Compiled for
// gfx9, gfx11 and gfx12 in the tests, never run there.
//
// gfx11 has a cycle counter of 20 bits only, which wraps every half millisecond: records hold the
// steady counter (100 MHz) instead, and say so by kSteadyClock.
#ifndef LOCKSTEP_PROFILER_PLATFORM_AMD_H
#define LOCKSTEP_PROFILER_PLATFORM_AMD_H

namespace lockstep {
namespace profile {

#if defined(__GFX11__)
#define LOCKSTEP_SHORT_CYCLE_COUNTER 1
constexpr u32 kPlatformFlags = kSteadyClock;
#else
constexpr u32 kPlatformFlags = 0;
#endif

#define LOCKSTEP_KEEP_ORDER() asm volatile("" ::: "memory")

LOCKSTEP_INLINE u64 timer64() {
  LOCKSTEP_KEEP_ORDER();
  const u64 value = __builtin_readsteadycounter();
  LOCKSTEP_KEEP_ORDER();
  return value;
}
LOCKSTEP_INLINE u64 clock64() {
#if defined(LOCKSTEP_SHORT_CYCLE_COUNTER)
  return timer64();
#else
  LOCKSTEP_KEEP_ORDER();
  const u64 value = __builtin_readcyclecounter();
  LOCKSTEP_KEEP_ORDER();
  return value;
#endif
}
LOCKSTEP_INLINE u32 clock32() { return static_cast<u32>(clock64()); }
LOCKSTEP_INLINE u32 timer32() { return static_cast<u32>(timer64()); }

struct Extent {
  u32 x, y, z;
};
LOCKSTEP_INLINE Extent thread_index() {
  return {static_cast<u32>(__builtin_amdgcn_workitem_id_x()),
          static_cast<u32>(__builtin_amdgcn_workitem_id_y()),
          static_cast<u32>(__builtin_amdgcn_workitem_id_z())};
}
LOCKSTEP_INLINE Extent block_extent() {
  return {static_cast<u32>(__builtin_amdgcn_workgroup_size_x()),
          static_cast<u32>(__builtin_amdgcn_workgroup_size_y()),
          static_cast<u32>(__builtin_amdgcn_workgroup_size_z())};
}
LOCKSTEP_INLINE Extent block_index() {
  return {static_cast<u32>(__builtin_amdgcn_workgroup_id_x()),
          static_cast<u32>(__builtin_amdgcn_workgroup_id_y()),
          static_cast<u32>(__builtin_amdgcn_workgroup_id_z())};
}
LOCKSTEP_INLINE u32 blocks_along(u32 threads, u32 size) { return (threads + size - 1) / size; }
LOCKSTEP_INLINE Extent grid_extent() {
  const Extent size = block_extent();
  return {blocks_along(__builtin_amdgcn_grid_size_x(), size.x),
          blocks_along(__builtin_amdgcn_grid_size_y(), size.y),
          blocks_along(__builtin_amdgcn_grid_size_z(), size.z)};
}
LOCKSTEP_INLINE Extent cluster_extent() { return {1, 1, 1}; }
LOCKSTEP_INLINE u32 cluster_rank() { return 0; }
LOCKSTEP_INLINE u64 grid_id() { return 0; }

// s_getreg: (bits - 1) << 11 | first bit << 6 | register.
LOCKSTEP_INLINE u32 multiprocessor() {
#if defined(__GFX9__)
  constexpr int kHwId = 4, kXccId = 20;
  u32 unit = __builtin_amdgcn_s_getreg((8 - 1) << 11 | 8 << 6 | kHwId);  // CU, array, engine
#if defined(__gfx940__) || defined(__gfx941__) || defined(__gfx942__) || defined(__gfx950__)
  unit |= __builtin_amdgcn_s_getreg((4 - 1) << 11 | 0 << 6 | kXccId) << 8;
#else
  (void)kXccId;
#endif
  return unit;
#else
  constexpr int kHwId1 = 23;
  return __builtin_amdgcn_s_getreg((11 - 1) << 11 | 10 << 6 | kHwId1);  // WGP, array, engine
#endif
}

using SharedWord = __attribute__((address_space(3))) u32;
using SharedPair = __attribute__((address_space(3))) u64;
using GlobalWord = __attribute__((address_space(1))) u32;

LOCKSTEP_INLINE u32 shared_address(const void* pointer) {
  return static_cast<u32>(
      reinterpret_cast<__UINTPTR_TYPE__>((const __attribute__((address_space(3))) void*)pointer));
}
LOCKSTEP_INLINE void store_shared_word(u32 at, u32 value) { *(volatile SharedWord*)(at) = value; }
LOCKSTEP_INLINE u32 load_shared_word(u32 at) { return *(volatile SharedWord*)(at); }

LOCKSTEP_INLINE void store_shared2(u32 at, u32 a, u32 b, u32 lead) {
  if (lead == 0) return;
  *(volatile SharedPair*)(at) = static_cast<u64>(b) << 32 | a;
}
LOCKSTEP_INLINE void store_shared4(u32 at, u32 a, u32 b, u32 c, u32 d, u32 lead) {
  store_shared2(at, a, b, lead);
  store_shared2(at + 8, c, d, lead);
}
LOCKSTEP_INLINE void store_global_word(u64 at, u32 value) {
  __builtin_nontemporal_store(value, (GlobalWord*)(at));
}
LOCKSTEP_INLINE void store_global2(u64 at, u32 a, u32 b, u32 lead) {
  if (lead == 0) return;
  store_global_word(at, a);
  store_global_word(at + 4, b);
}
LOCKSTEP_INLINE void store_global4(u64 at, u32 a, u32 b, u32 c, u32 d, u32 lead) {
  store_global2(at, a, b, lead);
  store_global2(at + 8, c, d, lead);
}
LOCKSTEP_INLINE void mark_shared(u32 at, u32 tag, u32 lead) {
  store_shared2(at, clock32(), tag, lead);
}
LOCKSTEP_INLINE void mark_global(u64 at, u32 tag, u32 lead) {
  store_global2(at, clock32(), tag, lead);
}
LOCKSTEP_INLINE void mark_global(u32 low, u32 high, u32 tag, u32 lead) {
  mark_global(static_cast<u64>(high) << 32 | low, tag, lead);
}

struct Words4 {
  u32 a, b, c, d;
};
LOCKSTEP_INLINE u32 load_fresh(const u32* at) {
  return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
LOCKSTEP_INLINE Words4 load_shared4(u32 at) {
  return {load_shared_word(at), load_shared_word(at + 4), load_shared_word(at + 8),
          load_shared_word(at + 12)};
}
LOCKSTEP_INLINE Words4 load4(const void* at) {
  const u32* words = static_cast<const u32*>(at);
  return {words[0], words[1], words[2], words[3]};
}
LOCKSTEP_INLINE u32 load_word(const void* at) { return *static_cast<const u32*>(at); }
LOCKSTEP_INLINE u64 load_pair(const void* at) { return *static_cast<const u64*>(at); }
LOCKSTEP_INLINE void begin_load16(u32 to, const void* from) {
  const Words4 w = load4(from);
  store_shared4(to, w.a, w.b, w.c, w.d, 1);
}
LOCKSTEP_INLINE void end_loads() {}
LOCKSTEP_INLINE void add_one(u32* counter) {
  (void)__hip_atomic_fetch_add(counter, 1U, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
LOCKSTEP_INLINE u64 compare_and_swap(u64* at, u64 expected, u64 desired) {
  (void)__hip_atomic_compare_exchange_strong(at, &expected, desired, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
LOCKSTEP_INLINE void fence_block() { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup"); }

// -- The wave's active lanes. Masks have 64 bits whatever the wave's size.

using LaneMask = u64;
struct ActiveLanes {
  LaneMask mask;
  u32 rank, count;
};
LOCKSTEP_INLINE u32 lanes_below(LaneMask mask) {
  return __builtin_amdgcn_mbcnt_hi(static_cast<u32>(mask >> 32),
                                   __builtin_amdgcn_mbcnt_lo(static_cast<u32>(mask), 0));
}
LOCKSTEP_INLINE LaneMask ballot(bool claim) {
#if defined(__AMDGCN_WAVEFRONT_SIZE__) && __AMDGCN_WAVEFRONT_SIZE__ == 32
  return __builtin_amdgcn_ballot_w32(claim);
#else
  return __builtin_amdgcn_ballot_w64(claim);
#endif
}
LOCKSTEP_INLINE ActiveLanes active_lanes() {
  const LaneMask mask = ballot(true);
  return {mask, lanes_below(mask), static_cast<u32>(__builtin_popcountll(mask))};
}
// The lanes of a wave run together.
LOCKSTEP_INLINE void join(const ActiveLanes&) { LOCKSTEP_KEEP_ORDER(); }
LOCKSTEP_INLINE LaneMask lanes_with(ActiveLanes, bool claim) { return ballot(claim); }
LOCKSTEP_INLINE u32 lowest(LaneMask mask) { return static_cast<u32>(__builtin_ctzll(mask)); }
// `lane` is the same for all. ds_bpermute would not do: in waves of 64 on gfx10 and later it
// stays inside each half.
LOCKSTEP_INLINE u32 value_of_lane(ActiveLanes, u32 value, u32 lane) {
  return static_cast<u32>(
      __builtin_amdgcn_readlane(static_cast<int>(value), static_cast<int>(lane)));
}
LOCKSTEP_INLINE void copy16(u64 to, u32 from) {
  store_global4(to, load_shared_word(from), load_shared_word(from + 4), load_shared_word(from + 8),
                load_shared_word(from + 12), 1);
}

LOCKSTEP_INLINE void mark_elected(u32 cursor, u32 base, u32 capacity, u32 tag, u32 on) {
  if (on == 0 || active_lanes().rank != 0) return;
  const u32 clock = clock32();
  const u32 slot = __hip_atomic_fetch_add((SharedWord*)(cursor), 1U, __ATOMIC_RELAXED,
                                          __HIP_MEMORY_SCOPE_WORKGROUP);
  store_shared2(base + slot * 8, clock, tag, slot < capacity ? 1 : 0);
}

}  // namespace profile
}  // namespace lockstep

#endif  // LOCKSTEP_PROFILER_PLATFORM_AMD_H
