// Decides with which kernel the iterations of a loop begin, where its repetition leaves a choice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cycles/found_loop.h"
#include "analysis/cycles/kernel_stream.h"
#include "analysis/cycles/launch_marks.h"

namespace lockstep {

struct BorderMarks {
  std::vector<MarkClass> annotations;
  std::vector<std::uint32_t> graph_launches;
};

// Moves the iterations of `loop`, which may use the kernels [lo, hi), inside the slack of its
// repetition, and sets its border evidence. Loops that hold loops go by annotation, graph launch,
// then gap; others stay where they are.
void set_borders(const KernelStream& stream, const BorderMarks& marks, std::uint32_t lo,
                 std::uint32_t hi, FoundLoop& loop);

}  // namespace lockstep
