// CudaProfiler: the in-kernel profiler of TVM's TIRx, to the bit, for kernels written in C++.
//
// Same constructor arguments, methods, fences and wire format; `lockstep kernel decode --format
// tvm` and TVM's own exporter read the buffer, which must be zeroed before the launch.
// kernel_profiler.h is cheaper, resolves cycles and needs no zeroing.
#ifndef LOCKSTEP_CUDA_PROFILER_H
#define LOCKSTEP_CUDA_PROFILER_H

#include "profiler_lane.h"

namespace lockstep {

class CudaProfiler {
 public:
  using u32 = profile::u32;
  using u64 = profile::u64;

  static constexpr u32 kEvents = 1024;              // 10 bits of the tag
  static constexpr u32 kLanes = 1U << 20;           // 20 bits of the tag
  static constexpr u64 kBadStride = 1ULL << 63;     // of the header: nothing was written
  static constexpr u64 kTooManyLanes = 1ULL << 62;  // of the header: lanes from 2^20 on are missing

  LOCKSTEP_INLINE CudaProfiler(u64* profiler_buffer, u32 write_stride, u32 num_groups,
                               bool default_leader, bool profiler_enabled = true)
      : buffer_(profiler_buffer),
        stride_(write_stride),
        groups_(num_groups),
        leader_(default_leader),
        enabled_(profiler_enabled) {}

  // Joins the group; thread 0 of block 0 writes the header.
  LOCKSTEP_INLINE void init(u32 group_id) {
    if (!enabled_) return;
    const profile::Extent grid = profile::grid_extent();
    const u64 blocks = static_cast<u64>(grid.x) * grid.y * grid.z;
    const u64 block = profile::linear_block();
    const u64 lane = block * groups_ + group_id;
    const bool stride_fits = stride_ >= blocks * groups_;
    if (block == 0 && profile::thread_index().x == 0) {
      buffer_[0] = static_cast<u64>(groups_) << 32 | static_cast<u32>(blocks) |
                   (stride_fits ? 0 : kBadStride) | (blocks * groups_ > kLanes ? kTooManyLanes : 0);
    }
    writes_ = stride_fits && lane < kLanes;
    offset_ = 1 + lane;
    tag_ = static_cast<u32>(lane << 12);
  }

  // start<E>() refuses an event of 1024 or more when compiling; start(e) writes nothing for one.
  template <auto Event>
  LOCKSTEP_INLINE void start() {
    start(checked<Event>());
  }
  template <auto Event>
  LOCKSTEP_INLINE void start(bool leader) {
    start(checked<Event>(), leader);
  }
  LOCKSTEP_INLINE void start(u32 event) { start(event, leader_); }
  LOCKSTEP_INLINE void start(u32 event, bool leader) {
    if (!enabled_) return;
    if (leader) write(event, 0);
    profile::fence_block();
  }

  template <auto Event>
  LOCKSTEP_INLINE void end() {
    end(checked<Event>());
  }
  template <auto Event>
  LOCKSTEP_INLINE void end(bool leader) {
    end(checked<Event>(), leader);
  }
  LOCKSTEP_INLINE void end(u32 event) { end(event, leader_); }
  LOCKSTEP_INLINE void end(u32 event, bool leader) {
    if (!enabled_) return;
    profile::fence_block();
    if (leader) write(event, 1);
  }

  LOCKSTEP_INLINE void finalize() { finalize(leader_); }
  LOCKSTEP_INLINE void finalize(bool leader) {
    if (!enabled_) return;
    profile::fence_block();
    if (leader) write(0, 3);
  }

 private:
  template <auto Event>
  static LOCKSTEP_INLINE constexpr u32 checked() {
    constexpr auto kEvent = static_cast<u64>(Event);
    static_assert(kEvent < kEvents, "an event of CudaProfiler is below 1024");
    return static_cast<u32>(kEvent);
  }
  LOCKSTEP_INLINE void write(u32 event, u32 type) {
    if (!writes_ || event >= kEvents) return;
    buffer_[offset_] = static_cast<u64>(profile::timer32()) << 32 | (tag_ | event << 2 | type);
    offset_ += stride_;
  }

  u64* buffer_;
  u64 offset_ = 0;
  u32 stride_;
  u32 groups_;
  u32 tag_ = 0;
  bool leader_;
  bool enabled_;
  bool writes_ = false;
};

}  // namespace lockstep

#endif  // LOCKSTEP_CUDA_PROFILER_H
