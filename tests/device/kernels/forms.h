// Writes one kernel for each way to profile: NAME_bare, NAME_shared_POLICY and NAME_global_POLICY,
// all with the same parameters.
#ifndef LOCKSTEP_TESTS_FORMS_H
#define LOCKSTEP_TESTS_FORMS_H

#include <lockstep/kernel_profiler.h>

#include "bodies.h"

#ifndef KERNEL_BOUNDS
#define KERNEL_BOUNDS
#endif

using Staging = lockstep::Staging<1, 256>;

#define WITHOUT(NAME, BODY)                                        \
  KERNEL KERNEL_BOUNDS NAME##_bare(void*, float* io, int rounds) { \
    NoMarkers profiler;                                            \
    BODY;                                                          \
    (void)rounds;                                                  \
  }

#define SHARED_FORM(NAME, POLICY, BODY)                                                \
  KERNEL KERNEL_BOUNDS NAME(void* buffer, float* io, int rounds) {                     \
    SHARED Staging staging;                                                            \
    lockstep::SharedProfiler<Staging, lockstep::POLICY> profiler(buffer, staging,      \
                                                                 thread_index() == 0); \
    BODY;                                                                              \
    (void)rounds;                                                                      \
  }

#define GLOBAL_FORM(NAME, POLICY, BODY)                                               \
  KERNEL KERNEL_BOUNDS NAME(void* buffer, float* io, int rounds) {                    \
    lockstep::GlobalProfiler<lockstep::POLICY> profiler(buffer, thread_index() == 0); \
    BODY;                                                                             \
    (void)rounds;                                                                     \
  }

#define BOTH_FORMS(BODY_NAME, POLICY_NAME, POLICY, BODY)      \
  SHARED_FORM(BODY_NAME##_shared_##POLICY_NAME, POLICY, BODY) \
  GLOBAL_FORM(BODY_NAME##_global_##POLICY_NAME, POLICY, BODY)

#endif  // LOCKSTEP_TESTS_FORMS_H
