// Gaps with a label, for tests of what causes them and of how that reads.
#pragma once

#include "analysis/anomalies/verdict/findings_for_test.h"

namespace lockstep::analysis::anomalies {

// One step with two gaps, of which the first carries `label`.
struct TwoGaps {
  TwoGaps(SoftLabel label, std::int64_t first, std::int64_t last) {
    steps.add(planned_step(first, last)).facts.python_frames = 7;
    launch_late(steps);
    for (Bubble& bubble : steps.device.bubbles) bubble.sync_covered = bubble.length();
    steps.device.bubbles[0].labels = {label};
    steps.device.bubbles[1].labels = {SoftLabel::kInsufficientEvidence};
  }
  // The first gap lies in aten::item, 300 us of it in a synchronising call.
  void synchronise_in_an_operator() {
    Bubble& bubble = steps.device.bubbles[0];
    bubble.inside_op = steps.test.add(steps.test.host, trace::Kind::kHostOp, "aten::item", 0, 1);
    bubble.sync_covered = us(300);
  }
  const SoftCause& leading() {
    steps.conclude();
    return steps.device.causes.front();
  }
  TestSteps steps;
};

}  // namespace lockstep::analysis::anomalies
