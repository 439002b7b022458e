// Names of kinds of findings.
#include "analysis/anomalies/verdict/finding.h"

namespace lockstep::analysis::anomalies {

std::string_view name_of(FindingKind kind) {
  switch (kind) {
    case FindingKind::kStepOutlier:
      return "step_outlier";
    case FindingKind::kRecurringStall:
      return "recurring_stall";
    case FindingKind::kHeavyBubble:
      return "heavy_bubble";
    case FindingKind::kLaunchBound:
      return "launch_bound";
    case FindingKind::kCommStall:
      return "comm_stall";
    case FindingKind::kCopyExposed:
      return "copy_exposed";
    case FindingKind::kAicpuExposed:
      return "aicpu_exposed";
    case FindingKind::kArtefact:
      return "artefact";
    case FindingKind::kStarved:
      return "starved";
  }
  return "";
}

}  // namespace lockstep::analysis::anomalies
