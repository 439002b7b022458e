// Fitting of the clocks of multiprocessors to the device's timer.
#include "analysis/kernel_profile/time_base.h"

namespace lockstep {

std::string_view name_of(TimeSource source) {
  switch (source) {
    case TimeSource::kGlobalTimer:
      return "globaltimer";
    case TimeSource::kAnchoredCycles:
      return "cycles+anchors";
    case TimeSource::kCycles:
      break;
  }
  return "cycles";
}

}  // namespace lockstep
