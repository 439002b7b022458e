// The session's own kernels, of one thread each; make_ptx.sh turns them into advance_sm80.ptx and
// advance_sm90.ptx, which are embedded.
#include <lockstep/profile_layout.h>

using lockstep::profile::Control;
using lockstep::profile::u32;
using lockstep::profile::u64;

// The next launch of the channel has the next number.
extern "C" __global__ void lockstep_advance(Control* control) {
  control->launch = control->launch + 1;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// The same between two kernels of a programmatic dependent chain: the one behind may start at once,
// but passes its own wait only after this one, and so after the one ahead; the number changes when
// the one ahead has ended, which reads it last of all (OverlappedPolicy).
extern "C" __global__ void lockstep_advance_dependent(Control* control) {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
  control->launch = control->launch + 1;
}
#endif

namespace {

__device__ u64 global_timer() {
  u64 now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)::"memory");
  return now;
}

constexpr int kSteps = 32;

}  // namespace

// facts[0]: the smallest step of the global timer, in ns; facts[1]: one more than the highest
// multiprocessor id.
extern "C" __global__ void lockstep_device_facts(u64* facts) {
  u64 least = ~u64{0};
  u64 before = global_timer();
#pragma unroll 1
  for (int step = 0; step < kSteps; ++step) {
    u64 now = before;
    while (now == before) now = global_timer();
    if (now - before < least) least = now - before;
    before = now;
  }
  facts[0] = least;
  u32 multiprocessors;
  asm("mov.u32 %0, %%nsmid;" : "=r"(multiprocessors));
  facts[1] = multiprocessors;
}
