// What the kernels of the tests need of a device, without any vendor's header: nvcc, NVRTC, clang
// as CUDA and clang as HIP compile the same text.
#ifndef LOCKSTEP_TESTS_PORTABLE_H
#define LOCKSTEP_TESTS_PORTABLE_H

#define KERNEL extern "C" __attribute__((global)) void
#define DEVICE __attribute__((device)) inline __attribute__((always_inline))
#define SHARED __attribute__((shared))

DEVICE unsigned thread_index() {
#if defined(__HIP__)
  return __builtin_amdgcn_workitem_id_x();
#elif defined(__clang__)
  return __nvvm_read_ptx_sreg_tid_x();
#else
  return threadIdx.x;
#endif
}

#endif  // LOCKSTEP_TESTS_PORTABLE_H
