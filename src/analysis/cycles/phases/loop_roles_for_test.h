// Roles of the loops of a made-up stream.
#pragma once

#include <vector>

#include "analysis/cycles/phases/annotation_phases.h"
#include "analysis/cycles/phases/loop_roles.h"
#include "analysis/cycles/stream/work_stream_for_test.h"

namespace lockstep::analysis::cycles {

inline std::vector<LoopRole> roles(WorkStream& test) {
  const AnnotationPhases annotations(test.made.trace);
  assign_roles(test.made.trace, annotations.steps_of(test.cycles.stream.rank),
               WorkCounter(test.cycles.stream), test.cycles);
  std::vector<LoopRole> result;
  for (const Loop& loop : test.cycles.loops) result.push_back(loop.role);
  return result;
}

}  // namespace lockstep::analysis::cycles
