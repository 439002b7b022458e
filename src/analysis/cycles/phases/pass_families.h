// All passes of a stream, wherever they run, as families: passes of one model come mixed where a
// server serves several requests, and each run of them would be a loop of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cycles/phases/attention_look.h"
#include "analysis/cycles/spans/phase_spans.h"

namespace lockstep::analysis::cycles {

// Passes that stand for each other: the iterations of a loop, or one pass that is none.
struct PassUnit {
  PhaseSpan* span = nullptr;  // its phase may be set; lives as long as the spans do
  Iteration body;             // one of them, or what stands for all
  std::vector<Iteration> passes;
  std::uint32_t layers = 0;
};

// The units in which passes of the spans lie. Spans of loops whose body holds several passes are
// none: theirs are in `inside`, in the same order as their spans.
struct FamilyInput {
  const KernelStream& stream;
  const WorkCounter& work;
  const AttentionLooks& looks;
  std::vector<PassUnit> units;
};

// Gives phases to units without one by what the others of their family are, and returns the
// families.
[[nodiscard]] std::vector<PassFamily> find_families(FamilyInput input);

}  // namespace lockstep::analysis::cycles
