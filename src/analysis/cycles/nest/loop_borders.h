// Decides with which kernel the iterations of a loop begin, where its repetition leaves a choice.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/cycles/nest/found_loop.h"
#include "analysis/cycles/stream/kernel_stream.h"
#include "analysis/cycles/stream/launch_marks.h"

namespace lockstep::analysis::cycles {

struct BorderMarks {
  std::vector<MarkClass> annotations;
  std::vector<std::uint32_t> graph_launches;
};

// With which kernel of the body iterations begin, and why.
struct BorderChoice {
  BorderEvidence evidence = BorderEvidence::kOnlyChoice;
  std::uint32_t offset = 0;  // from the begin of the body as it is
  // By how many kernels all iterations move, where none is lost by it.
  std::optional<std::int64_t> move;
};

// Whether a pause may decide that lies where one iteration has a fault.
enum class BorderReach : std::uint8_t { kInSlack, kBeyondSlack };

// For `loop`, which may use the kernels [lo, hi). Loops that hold loops go by annotation and by
// graph launch, even where that costs an iteration, then by the largest gap inside the slack of
// their repetition; others stay where they are.
[[nodiscard]] BorderChoice choose_border(const KernelStream& stream, const BorderMarks& marks,
                                         std::uint32_t lo, std::uint32_t hi, const FoundLoop& loop,
                                         BorderReach reach = BorderReach::kInSlack);

// Moves all iterations by so many kernels.
void move_by(std::int64_t kernels, FoundLoop& loop);

}  // namespace lockstep::analysis::cycles
