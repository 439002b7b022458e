// Where one structure of a step ends and the next begins, by the best evidence there is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/anomalies/structure/structure.h"

namespace lockstep::analysis::anomalies {

// A structure goes up to the next cut. Kernels of other streams than the main one belong to the
// structure in whose time they start, so that structures are stretches of the step's kernels.
struct StructureCut {
  std::uint32_t first = 0;  // index of StructureInput::kernels
  StructureName name;
  bool is_layer = false;
};

struct StructureCuts {
  StructureEvidence evidence = StructureEvidence::kNone;
  std::vector<StructureCut> cuts;  // ascending; the first one at 0
};

// The stream that computes longest in the step; of a step that only communicates, the busiest.
[[nodiscard]] trace::TrackId main_stream(const StructureInput& input);

// Gaps between the step's kernels that are heavy, or gap_cut_factor times the
// median of significant ones.
[[nodiscard]] std::vector<StructureCut> gap_cuts(const StructureInput& input,
                                                 const Thresholds& thresholds);

// Loops, annotations, gaps, in this order; else the step is one structure. `input` has kernels.
[[nodiscard]] StructureCuts find_structure_cuts(const StructureInput& input,
                                                const Thresholds& thresholds);

// One stretch of the main stream that is a structure of its own.
struct Stretch {
  std::uint32_t begin = 0;  // positions among the main stream's kernels of the step
  std::uint32_t end = 0;
  StructureName name;
  bool is_layer = false;
};

// Stretches, sorted and apart, with what lies before, between and after them. `offsets` are the
// main stream's kernels as indices of StructureInput::kernels.
[[nodiscard]] std::vector<StructureCut> with_rest(std::span<const Stretch> stretches,
                                                  std::span<const std::uint32_t> offsets);

// The step's kernels on `track`, as indices of StructureInput::kernels.
[[nodiscard]] std::vector<std::uint32_t> offsets_on(const StructureInput& input,
                                                    trace::TrackId track);

}  // namespace lockstep::analysis::anomalies
