// What structures of a step and their types are called.
#pragma once

#include <string>

#include "analysis/anomalies/structure/structure_name.h"

namespace lockstep::report::anomalies {

// "forward layer 3", "head", "between", "tail", "part 2", or the annotation's name, with a number
// where it has none.
[[nodiscard]] std::string structure_words(const analysis::anomalies::StructureName& name);

// "forward layer, 42 kernels", "layer, 2 kernels (2)", "head", "part", "block_#".
[[nodiscard]] std::string structure_type_words(const analysis::anomalies::StructureKind& kind);

}  // namespace lockstep::report::anomalies
