// What the loops of a stream are to the model that ran: steps, passes, layers, or loops inside
// them.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/cycles/cycles.h"
#include "analysis/cycles/phases/work_counter.h"

namespace lockstep::analysis::cycles {

// Products before the attention of a layer: for queries, keys and values, for latent ones more.
// Where there are more behind a kernel that samples, it chose experts.
inline constexpr std::uint32_t kMostProjections = 5;

[[nodiscard]] inline Iteration body_of(const NestLoop& loop) {
  return {loop.body_start, loop.body_start + loop.period};
}

// Sets Loop::role of every loop, all but kRequest, which needs phases. Gives `cycles.loops` the
// size of the nest where it is shorter. `steps` are those of the stream's rank, by start.
void assign_roles(const trace::Trace& trace, std::span<const trace::Step> steps,
                  const WorkCounter& work, StreamCycles& cycles);

}  // namespace lockstep::analysis::cycles
