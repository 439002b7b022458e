// Kernels that time their own markers, one for each form; make_ptx.sh turns them into
// overhead_sm80.ptx and overhead_sm90.ptx, which are embedded.
//
// Every warp has a leader and a lane. Between markers stands one multiplication with addition, as
// in the empty loop, whose time is subtracted.
#include <lockstep/cuda_profiler.h>
#include <lockstep/kernel_profiler.h>

using lockstep::profile::u32;
using lockstep::profile::u64;

namespace {

constexpr u32 kThreadsAtMost = 1024;
constexpr int kMarkersARound = 16;
constexpr u32 kRecords = 128;  // a lane; no kernel is asked for more rounds than fit

using Room = lockstep::Staging<32, kRecords>;

__device__ __forceinline__ u32 warp() { return threadIdx.x / 32; }
__device__ __forceinline__ bool is_leader() { return threadIdx.x % 32 == 0; }
__device__ __forceinline__ void work(float& x) { x = x * 1.0001F + 1.0F; }

// Times `rounds` rounds of markers and stores what the warp took.
template <class Round>
__device__ __forceinline__ void time_rounds(u32* cycles, float* values, u32 rounds, Round round) {
  float x = values[threadIdx.x % 32];
  __syncthreads();
  const u32 before = lockstep::profile::clock32();
#pragma unroll 1
  for (u32 i = 0; i < rounds; ++i) round(x);
  const u32 after = lockstep::profile::clock32();
  if (is_leader()) cycles[blockIdx.x * (blockDim.x / 32) + warp()] = after - before;
  if (x == 12345.0F) values[0] = x;  // so that the work is not left out
}

template <class Profiler>
__device__ __forceinline__ void time_markers(Profiler& p, u32* cycles, float* values, u32 rounds) {
  p.init(warp());
  time_rounds(cycles, values, rounds, [&](float& x) {
#pragma unroll
    for (u32 i = 0; i < kMarkersARound / 2; ++i) {
      p.start(i);
      work(x);
      p.end(i);
      work(x);
    }
  });
  p.finalize();
}

template <class Profiler>
__device__ __forceinline__ void time_regions(Profiler& p, u32* cycles, float* values, u32 rounds) {
  p.init(warp());
  time_rounds(cycles, values, rounds, [&](float& x) {
#pragma unroll
    for (u32 i = 0; i < kMarkersARound / 2; ++i) {
      const auto region = p.region_begin(i);
      work(x);
      p.region_end(i, region);
      work(x);
    }
  });
  p.finalize();
}

}  // namespace

#define LOCKSTEP_COST_KERNEL(name)                              \
  extern "C" __global__ void __launch_bounds__(kThreadsAtMost) \
      lockstep_cost_##name(void* memory, u32* cycles, float* values, u32 rounds)

#define LOCKSTEP_SHARED_COST(name, policy, time)                     \
  LOCKSTEP_COST_KERNEL(name) {                                       \
    __shared__ Room room;                                            \
    lockstep::SharedProfiler<Room, policy> p(memory, room, is_leader()); \
    time(p, cycles, values, rounds);                                 \
  }

#define LOCKSTEP_GLOBAL_COST(name, policy, time)          \
  LOCKSTEP_COST_KERNEL(name) {                            \
    lockstep::GlobalProfiler<policy> p(memory, is_leader()); \
    time(p, cycles, values, rounds);                      \
  }

LOCKSTEP_COST_KERNEL(nothing) {
  time_rounds(cycles, values, rounds, [](float& x) {
#pragma unroll
    for (int i = 0; i < kMarkersARound; ++i) work(x);
  });
}

LOCKSTEP_SHARED_COST(shared, lockstep::DefaultPolicy, time_markers)
LOCKSTEP_SHARED_COST(shared_unchecked, lockstep::UncheckedPolicy, time_markers)
LOCKSTEP_SHARED_COST(shared_ring, lockstep::RingPolicy, time_markers)
LOCKSTEP_SHARED_COST(shared_regions, lockstep::RegionPolicy, time_regions)
LOCKSTEP_SHARED_COST(shared_elected, lockstep::ElectedPolicy, time_markers)
LOCKSTEP_SHARED_COST(shared_anchored, lockstep::AnchoredPolicy, time_markers)
LOCKSTEP_SHARED_COST(shared_strict, lockstep::StrictPolicy, time_markers)
LOCKSTEP_GLOBAL_COST(global, lockstep::DefaultPolicy, time_markers)
LOCKSTEP_GLOBAL_COST(global_unchecked, lockstep::UncheckedPolicy, time_markers)
LOCKSTEP_GLOBAL_COST(global_ring, lockstep::RingPolicy, time_markers)
LOCKSTEP_GLOBAL_COST(global_regions, lockstep::RegionPolicy, time_regions)

// The form that it is compared with.
LOCKSTEP_COST_KERNEL(cuda_profiler) {
  const u32 groups = blockDim.x / 32;
  lockstep::CudaProfiler p(static_cast<u64*>(memory), gridDim.x * groups, groups, is_leader());
  time_markers(p, cycles, values, rounds);
}

// init() and finalize() with 64 records between them, which are not counted.
LOCKSTEP_COST_KERNEL(frame) {
  __shared__ Room room;
  __syncthreads();
  const u32 begin = lockstep::profile::clock32();
  lockstep::SharedProfiler<Room> p(memory, room, is_leader());
  p.init(warp());
  const u32 ready = lockstep::profile::clock32();
  float x = values[threadIdx.x % 32];
#pragma unroll 1
  for (u32 i = 0; i < rounds; ++i) {
    p.start(0);
    work(x);
    p.end(0);
  }
  const u32 done = lockstep::profile::clock32();
  p.finalize();
  const u32 end = lockstep::profile::clock32();
  if (is_leader()) {
    cycles[blockIdx.x * (blockDim.x / 32) + warp()] = (ready - begin) + (end - done);
  }
  if (x == 12345.0F) values[0] = x;
}
