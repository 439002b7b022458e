// All that is known and said of one device.
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
#include "analysis/anomalies/verdict/answers.h"
#include "analysis/anomalies/verdict/causes.h"
#include "analysis/anomalies/verdict/finding.h"

namespace lockstep::analysis::anomalies {

struct DeviceAnomalies {
  DeviceTimeline timeline;
  std::vector<AnomalyStep> steps;  // in time order
  std::vector<StepGroup> groups;   // by total service time, greatest first: [0] is dominant
  std::vector<Bubble> bubbles;     // by start
  std::vector<KernelGaps> waits;   // by kernel of the timeline
  OpTable ops;
  std::vector<StructureBreakdown> structures;  // of one typical step of each group, same order
  std::vector<Artefact> artefacts;
  std::vector<Finding> findings;  // the most important first
  std::vector<SoftCause> causes;
  GlobalGaps global;
  bool requires_host_followup = false;
  Confidence confidence = Confidence::kLow;
  FiveAnswers answers;
};

}  // namespace lockstep::analysis::anomalies
