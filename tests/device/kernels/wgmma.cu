// Markers between the asynchronous matrix instructions of Hopper: ptxas must not serialise them.
#include "forms.h"

using u64 = unsigned long long;

DEVICE void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
DEVICE void wgmma_commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Pending>
DEVICE void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Pending) : "memory");
}

// 64 x 16 x 16 in bf16 by one warpgroup, eight accumulators a thread.
DEVICE void wgmma_m64n16k16(float (&d)[8], u64 a, u64 b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7}, %8, %9, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7])
      : "l"(a), "l"(b));
}

// Two groups of matrix instructions in flight; markers around the issue and around the wait.
template <class Profiler>
DEVICE void pipeline(Profiler& profiler, float* io, int rounds) {
  float sums[8] = {};
  u64 a = 0x4000000000010000ULL, b = 0x4000000000010040ULL;
  profiler.init(0);
  profiler.start(1);
  wgmma_fence();
  wgmma_m64n16k16(sums, a, b);
  wgmma_commit();
  profiler.end(1);
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
    profiler.start(1);
    wgmma_fence();
    profiler.next(1, 2);
    wgmma_m64n16k16(sums, a, b);
    wgmma_m64n16k16(sums, a + 2, b + 2);
    wgmma_commit();
    profiler.next(2, 3);
    wgmma_wait<1>();
    profiler.end(3);
    a += 64;
    b += 64;
  }
  profiler.start(3);
  wgmma_wait<0>();
  profiler.end(3);
#pragma unroll
  for (int i = 0; i < 8; ++i) io[thread_index() * 8 + i] = sums[i];
  profiler.finalize();
}

WITHOUT(pipeline, pipeline(profiler, io, rounds))
BOTH_FORMS(pipeline, default, DefaultPolicy, pipeline(profiler, io, rounds))
BOTH_FORMS(pipeline, unchecked, UncheckedPolicy, pipeline(profiler, io, rounds))
BOTH_FORMS(pipeline, ring, RingPolicy, pipeline(profiler, io, rounds))
BOTH_FORMS(pipeline, disabled, DisabledPolicy, pipeline(profiler, io, rounds))

#ifdef SERIALISED
// What the test must notice: an accumulator changed while matrix instructions are in flight.
KERNEL changes_a_sum_too_early(float* io) {
  float sums[8] = {};
  wgmma_fence();
  wgmma_m64n16k16(sums, 1, 2);
  sums[0] += 1.0f;
  wgmma_m64n16k16(sums, 3, 4);
  wgmma_commit();
  wgmma_wait<0>();
  for (int i = 0; i < 8; ++i) io[thread_index() * 8 + i] = sums[i];
}
#endif
