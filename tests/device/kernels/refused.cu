// Code that must not compile; the test chooses one case by CASE.
#include <lockstep/cuda_profiler.h>
#include <lockstep/kernel_profiler.h>

#include "portable.h"

KERNEL kernel(void* buffer) {
#if CASE == 1  // the tag of CudaProfiler has ten bits for an event
  lockstep::CudaProfiler profiler(static_cast<unsigned long long*>(buffer), 4, 1, true);
  profiler.start<1024>();
#elif CASE == 2
  lockstep::GlobalProfiler<> profiler(buffer, true);
  profiler.start<4096>();
#elif CASE == 3
  lockstep::GlobalProfiler<> profiler(buffer, true);
  profiler.end<4096>();
#elif CASE == 4  // a ring finds its place by a mask
  SHARED lockstep::Staging<1, 96> staging;
  lockstep::SharedProfiler<lockstep::Staging<1, 96>, lockstep::RingPolicy> profiler(buffer, staging,
                                                                                    true);
  profiler.init(0);
  profiler.start(1);
#elif CASE == 5  // its cursor is in shared memory
  lockstep::GlobalProfiler<lockstep::ElectedPolicy> profiler(buffer, true);
#else
  lockstep::CudaProfiler old(static_cast<unsigned long long*>(buffer), 4, 1, true);
  old.start<1023>();
  lockstep::GlobalProfiler<> profiler(buffer, true);
  profiler.start<4095>();
  profiler.end<4095>();
#endif
}
