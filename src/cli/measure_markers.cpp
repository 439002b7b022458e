// What device/host measures, as the sinks take it.
#include "cli/measure_markers.h"

namespace lockstep {

Result<MarkerCosts> measure_markers() {
  return input_error({}, "there is no NVIDIA driver on this machine to measure with",
                     "Run it where the kernels run");
}

}  // namespace lockstep
