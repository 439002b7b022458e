// What a structure of a step is called after: report makes words of it.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <variant>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::anomalies {

struct WholeStep {
  auto operator<=>(const WholeStep&) const = default;
};

// What lies before, between and after the structures that there is evidence of.
enum class RestOfStep : std::uint8_t { kHead, kBetween, kTail };

// Iterations of one body.
struct LoopBody {
  cycles::LoopRole role = cycles::LoopRole::kUnknown;  // never kInner
  cycles::PhaseName phase = cycles::PhaseName::kUnknown;
  std::uint32_t kernels = 0;
  std::uint32_t alike = 1;  // bodies with the same of the above are counted from 1

  auto operator<=>(const LoopBody&) const = default;
};

// Annotations of one name but for numbers.
struct AnnotationStem {
  std::string name;  // a '#' for each number

  auto operator<=>(const AnnotationStem&) const = default;
};

// What lies between two gaps.
struct PartBetweenGaps {
  auto operator<=>(const PartBetweenGaps&) const = default;
};

// Structures of one type share it.
using StructureKind =
    std::variant<WholeStep, RestOfStep, LoopBody, AnnotationStem, PartBetweenGaps>;

struct StructureName {
  StructureKind kind;
  std::uint32_t number = 0;     // from 1 among those of its kind; 0 of the step and its rest
  std::string annotation = {};  // as it was written
};

}  // namespace lockstep::analysis::anomalies
