// The headers and nothing before them, with every policy and every call instantiated once.
#include <lockstep/cuda_profiler.h>
#include <lockstep/kernel_profiler.h>

#include "portable.h"

using Staging = lockstep::Staging<2, 64>;

enum class Event { kFirst, kLast = 4095 };

template <class Profiler>
DEVICE void call_everything(Profiler& profiler, float* io) {
  profiler.init(thread_index() / 64);
  profiler.start(1);
  io[thread_index()] += 1.0f;
  profiler.next(1, 2);
  io[thread_index()] *= 3.0f;
  profiler.end(2);
  profiler.start(3, 0xBEEF);
  profiler.end(3);
  profiler.template start<Event::kLast>();
  profiler.template end<Event::kLast>();
  profiler.instant(4);
  profiler.begin_async(5, 17);
  profiler.end_async(5, 17);
  profiler.anchor();
  if (io[0] > 2.0f) return;  // the destructor finalizes
  io[thread_index()] = 1.0f;
  profiler.finalize();
}

template <class Profiler>
DEVICE void call_regions(Profiler& profiler, float* io) {
  profiler.init(thread_index() / 64);
  auto outer = profiler.region_begin(1);
  auto inner = profiler.region_begin(2);
  io[thread_index()] += 1.0f;
  profiler.region_end(2, inner, 0xDEADBEEF);
  profiler.region_end(1, outer);
  profiler.anchor();
  profiler.finalize();
}

DEVICE bool is_leader() { return thread_index() % 64 == 0; }

#define IN_SHARED(POLICY, CALLS)                                                                \
  KERNEL shared_##POLICY(void* buffer, float* io) {                                             \
    SHARED Staging staging;                                                                     \
    lockstep::SharedProfiler<Staging, lockstep::POLICY> profiler(buffer, staging, is_leader()); \
    CALLS(profiler, io);                                                                        \
  }
#define IN_GLOBAL(POLICY, CALLS)                                                       \
  KERNEL global_##POLICY(void* buffer, float* io, bool enabled) {                      \
    lockstep::GlobalProfiler<lockstep::POLICY> profiler(buffer, is_leader(), enabled); \
    CALLS(profiler, io);                                                               \
  }
#define IN_BOTH(POLICY, CALLS) IN_SHARED(POLICY, CALLS) IN_GLOBAL(POLICY, CALLS)

IN_BOTH(DefaultPolicy, call_everything)
IN_BOTH(UncheckedPolicy, call_everything)
IN_BOTH(RingPolicy, call_everything)
IN_BOTH(RegionPolicy, call_regions)
IN_BOTH(StrictPolicy, call_everything)
IN_BOTH(AnchoredPolicy, call_everything)
IN_BOTH(DisabledPolicy, call_everything)
IN_BOTH(OverlappedPolicy, call_everything)
IN_SHARED(ElectedPolicy, call_everything)

KERNEL cuda_profiler(unsigned long long* buffer, float* io, bool enabled) {
  lockstep::CudaProfiler profiler(buffer, 8, 2, is_leader(), enabled);
  profiler.init(thread_index() / 64);
  profiler.start(3);
  io[thread_index()] += 1.0f;
  profiler.end(3);
  profiler.start<1023>();
  profiler.end(1023, thread_index() == 5);
  profiler.finalize();
}
