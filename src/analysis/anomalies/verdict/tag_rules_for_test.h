// A step that rules judge, for tests of the rules and of the words of their reasons.
#pragma once

#include "analysis/anomalies/timeline/times_for_test.h"
#include "analysis/anomalies/verdict/tag_rules.h"

namespace lockstep::analysis::anomalies {

// The least that a time can be below a limit.
inline constexpr Time kPs{1};

// A step of 20 ms of a group of ten, with nothing to say of it. Heavy begins at 2 ms.
struct JudgedStep {
  JudgedStep() {
    step.gaps.service = ms(20);
    step.gaps.device_busy = step.gaps.any_busy = step.gaps.computing = ms(20);
    step.kernels = 100;
    group.steps = 10;
    group.median_kernels = 100;
  }

  [[nodiscard]] Verdict judged(AnomalyRules rules = AnomalyRules::kRulebook) const {
    return judge_step(step, group, thresholds, rules);
  }

  void idle(Time time) { step.gaps.underfeed = time; }
  void internal_gap(Time gap) {
    step.gaps.largest_internal = step.gaps.judged_largest_internal = gap;
  }
  void prelaunch_gap(Time gap) { step.gaps.prelaunch = step.gaps.judged_prelaunch = gap; }
  void tail_gap(Time gap) { step.gaps.tail = step.gaps.judged_tail = gap; }

  // For three tenths of the step, besides an artefact and gaps inside graph launches.
  void idle_with_artefacts() {
    idle(ms(8));
    step.gaps.artefact_idle = ms(1);
    step.gaps.dispatch_total = ms(1);
  }
  void idle_with_heavy_gaps() {
    idle(ms(8));
    internal_gap(ms(3));
    tail_gap(ms(2));
  }
  // High underfeed, recurring, of the host, covered: only all four together are a risk.
  void risk_by_host() {
    idle(ms(6));
    group.is_recurring = true;
    step.bubbles.total = ms(4);
    step.bubbles.host_part = ms(2);
    step.bubbles.queued_part = ms(2);
    step.bubbles.host_covered = us(400);
  }
  void untraced(Time time) {
    idle(ms(6));
    step.bubbles.total = ms(4);
    step.bubbles.untraced = time;
  }
  // `unmeasured` more have no transit.
  void collectives(Time elapsed, Time transit, Time unmeasured = {}) {
    step.comm.elapsed = elapsed + unmeasured;
    step.comm.unmeasured = unmeasured;
    step.comm.transit = transit;
  }

  StepFacts step;
  GroupFacts group;
  Thresholds thresholds;
};

}  // namespace lockstep::analysis::anomalies
