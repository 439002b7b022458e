// What markers need of the machine: clocks, identity of the thread, stores. CUDA by PTX, HIP by
// clang's builtins; no header of CUDA or ROCm, so that NVRTC and bare clang compile it.
#ifndef LOCKSTEP_PROFILER_PLATFORM_H
#define LOCKSTEP_PROFILER_PLATFORM_H

#include "profile_layout.h"

#if defined(__device__) || defined(__CUDACC_RTC__)
#define LOCKSTEP_DEVICE __device__
#else
#define LOCKSTEP_DEVICE __attribute__((device))
#endif
#if defined(_MSC_VER)
#define LOCKSTEP_INLINE LOCKSTEP_DEVICE __forceinline
#else
#define LOCKSTEP_INLINE LOCKSTEP_DEVICE inline __attribute__((always_inline))
#endif

// A call instead of inlined code, for what runs rarely.
#if defined(_MSC_VER)
#define LOCKSTEP_COLD LOCKSTEP_DEVICE __declspec(noinline)
#else
#define LOCKSTEP_COLD LOCKSTEP_DEVICE inline __attribute__((noinline))
#endif
#if defined(__clang__) && !defined(__NVCC__)
#define LOCKSTEP_ROLLED _Pragma("clang loop unroll(disable)")
#else
#define LOCKSTEP_ROLLED _Pragma("unroll 1")
#endif

#if defined(__HIP__) || defined(__HIPCC__) || defined(__HIP_DEVICE_COMPILE__)
#include "profiler_platform_amd.h"
#else
#include "profiler_platform_nvidia.h"
#endif

#endif  // LOCKSTEP_PROFILER_PLATFORM_H
