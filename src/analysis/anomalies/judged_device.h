// What is known of one device, and what tags say of its steps: all that a conclusion is drawn from.
#pragma once

#include <vector>

#include "analysis/anomalies/evidence/artefact.h"
#include "analysis/anomalies/evidence/bubble.h"
#include "analysis/anomalies/steps/group.h"
#include "analysis/anomalies/steps/step.h"
#include "analysis/anomalies/structure/structure.h"
#include "analysis/anomalies/timeline/device_timeline.h"
#include "analysis/anomalies/timeline/global_gaps.h"
#include "analysis/anomalies/timeline/kernel_gaps.h"
#include "analysis/anomalies/timeline/op_table.h"

namespace lockstep::analysis::anomalies {

struct JudgedDevice {
  DeviceTimeline timeline;
  GlobalGaps global;
  std::vector<AnomalyStep> steps;  // in time order
  std::vector<StepGroup> groups;   // by total service time, greatest first: [0] is dominant
  std::vector<Bubble> bubbles;     // by start
  std::vector<Artefact> artefacts;
  std::vector<KernelGaps> waits;  // by kernel of the timeline
  OpTable ops;
  std::vector<StructureBreakdown> structures;  // of one typical step of each group, same order
};

}  // namespace lockstep::analysis::anomalies
