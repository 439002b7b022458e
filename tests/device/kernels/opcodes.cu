// Small kernels of which each must hold one operation, for the table of opcodes in cubin.py.

using u32 = unsigned int;

#define KERNEL extern "C" __global__ void

KERNEL holds_nothing(u32* p) { p[threadIdx.x] = 1; }

KERNEL holds_BAR(u32* p, u32 barrier) {
  asm volatile("bar.sync 0;" ::: "memory");
  asm volatile("bar.arrive %0, 64;" ::"r"(barrier) : "memory");
  p[threadIdx.x] = 1;
}

KERNEL holds_MEMBAR(u32* p) {
  p[threadIdx.x] = 1;
  asm volatile("fence.acq_rel.cta;" ::: "memory");
  p[threadIdx.x + 64] = 1;
}

KERNEL holds_MEMBAR_ERRBAR_CCTL(u32* p) {
  p[threadIdx.x] = 1;
  asm volatile("fence.sc.gpu;" ::: "memory");
  p[threadIdx.x + 64] = 1;
}

KERNEL holds_BSSY_BSYNC(volatile u32* p) {
  u32 s = threadIdx.x;
  if (p[0] > threadIdx.x) {
    for (u32 i = 0; i < p[1] + threadIdx.x; ++i) s += p[i];
  } else {
    for (u32 i = 0; i < p[2]; ++i) s ^= p[i + s % 5];
  }
  p[threadIdx.x] = s;
}

__device__ __noinline__ u32 exchange(u32* p, u32 mask, u32 s) {
  s += __shfl_xor_sync(mask, s, 1);
  __syncwarp(mask);
  p[s] = 7;
  return s + __shfl_xor_sync(mask, s, 2);
}

KERNEL holds_WARPSYNC_SHFL(u32* p, u32 mask) {
  u32 s = 0;
  if (threadIdx.x & 1) {
    while (p[s]) s = exchange(p, mask, s);
  } else {
    s = exchange(p + 1, mask, s);
  }
  s += __shfl_xor_sync(mask, s, 4);
  __syncwarp(mask);
  p[threadIdx.x] = s;
}

KERNEL holds_STS_LDG(u32* p) {
  extern __shared__ u32 shared[];
  shared[threadIdx.x] = p[0];
  asm volatile("" ::: "memory");
}

KERNEL holds_LDS_STG(u32* p, u32 at) {
  extern __shared__ u32 shared[];
  p[threadIdx.x] = static_cast<volatile u32*>(shared)[at];
}

KERNEL holds_ATOMS(u32* p) {
  extern __shared__ u32 shared[];
  p[threadIdx.x] = atomicAdd(shared + p[0], 3U);
}

KERNEL holds_CS2R_of_the_clock(u32* p) {
  u32 clock;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
  p[threadIdx.x] = clock;
}

KERNEL holds_CS2R_of_the_timer(u32* p) {
  u32 timer;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(timer));
  p[threadIdx.x] = timer;
}

KERNEL holds_VOTE(u32* p) {
  u32 mask;
  asm volatile("activemask.b32 %0;" : "=r"(mask));
  p[threadIdx.x] = mask;
}

KERNEL holds_MATCH(u32* p) { p[threadIdx.x] = __match_any_sync(~0U, p[threadIdx.x]); }

// 60 values over a barrier in 32 registers.
KERNEL __launch_bounds__(1024, 2) holds_STL_LDL(volatile u32* p) {
  u32 v[60];
#pragma unroll
  for (int i = 0; i < 60; ++i) v[i] = p[i * 32];
  asm volatile("bar.sync 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 60; ++i) p[i * 32 + 1] = v[59 - i] ^ v[(i * 7) % 60];
}

#if __CUDA_ARCH__ >= 900
KERNEL holds_UBLKCP(u32* p) {
  extern __shared__ u32 shared[];
  u32 from = static_cast<u32>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(p), "r"(from),
               "r"(256)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}
#endif
