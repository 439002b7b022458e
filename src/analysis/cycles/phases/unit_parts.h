// Units whose passes differ by their attention, in parts: a loop of passes may hold prefills among
// decode passes that are like them in all other kernels.
#pragma once

#include <deque>
#include <vector>

#include "analysis/cycles/phases/attention_look.h"
#include "analysis/cycles/phases/pass_families.h"
#include "analysis/cycles/phases/phase_evidence.h"

namespace lockstep::analysis::cycles {

class UnitParts {
 public:
  explicit UnitParts(const PhaseJudge& judge) : judge_(judge) {}

  // Appends the unit, or units for its parts, each judged by its own passes. What the user marked,
  // training and requests stay whole.
  void add(PassUnit unit, LoopRole role, std::vector<PassUnit>& units);

  // When the families are found: what the parts of a unit agree on is its phase; where they do not
  // agree it has none.
  void settle();

 private:
  struct Divided {
    PhaseSpan* whole = nullptr;
    std::vector<const PhaseSpan*> parts;
  };

  [[nodiscard]] std::vector<std::vector<Iteration>> groups(const PassUnit& unit) const;

  const PhaseJudge& judge_;
  std::deque<PhaseSpan> spans_;  // of parts
  std::vector<Divided> divided_;
};

}  // namespace lockstep::analysis::cycles
