// Names of windows of steps.
#include "analysis/anomalies/steps/step.h"

#include <array>

namespace lockstep::analysis::anomalies {

std::string_view name_of(StepWindow window) {
  static constexpr std::array<std::string_view, 3> kNames = {"host", "device", "pseudo"};
  return kNames[static_cast<std::size_t>(window)];
}

}  // namespace lockstep::analysis::anomalies
