// A kernel of one thread that gives the next launch of a channel its number: for programs that do
// not use the session library (HIP, or a channel whose memory the program keeps itself).
//
//   lockstep::advance_launch<<<1, 1, 0, stream>>>(channel);   // before every profiled launch
//
// Captured into a graph it counts every replay. C++17, from a file compiled as CUDA or HIP (there
// behind hip/hip_runtime.h, which launches need).
#ifndef LOCKSTEP_ADVANCE_LAUNCH_H
#define LOCKSTEP_ADVANCE_LAUNCH_H

#include <lockstep/profile_layout.h>

namespace lockstep {

// Static, so that several files of one program may include this.
[[maybe_unused]] static __attribute__((global)) void advance_launch(void* channel) {
  profile::Control* control = static_cast<profile::Control*>(channel);
  if (control != nullptr) control->launch = control->launch + 1;
}

}  // namespace lockstep

#endif  // LOCKSTEP_ADVANCE_LAUNCH_H
