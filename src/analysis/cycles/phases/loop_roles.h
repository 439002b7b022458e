// What the loops of a stream are to the model that ran: steps, passes, layers, or loops inside
// them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

// Kernels of a stretch, counted by what they do for a model. Attention is counted by its anchors;
// in a stretch without any, by the softmax kernels where there is one for the matrix work of a
// layer.
struct WorkCount {
  std::uint32_t forward_attention = 0;
  std::uint32_t backward_attention = 0;
  std::uint32_t prefill_attention = 0;  // helpers count here and below: they tell phases too
  std::uint32_t decode_attention = 0;
  std::uint32_t gemms = 0;    // convolutions and expert GEMMs too
  std::uint32_t experts = 0;  // expert GEMMs and the routing to them
  std::uint32_t optimizers = 0;
  std::uint32_t samplings = 0;
  std::uint32_t lookups = 0;     // in a table: a model that reads words begins with one
  std::uint32_t going_back = 0;  // of any kind, by name

  [[nodiscard]] std::uint32_t attention() const { return forward_attention + backward_attention; }
};

class WorkCounter {
 public:
  explicit WorkCounter(const KernelStream& stream);

  [[nodiscard]] WorkCount count(Iteration kernels) const;
  [[nodiscard]] const WorkCount& whole() const { return whole_; }
  [[nodiscard]] bool is_forward_attention(std::size_t kernel) const;
  // The stream trains: it runs backward attention, or an optimizer. One kernel that optimizers use
  // too is none.
  [[nodiscard]] bool trains() const;

 private:
  // What attention is where it is written out.
  struct Softmaxes {
    std::uint32_t forward = 0;
    std::uint32_t backward = 0;
  };

  const KernelStream& stream_;
  std::vector<WorkCount> by_symbol_;
  std::vector<Softmaxes> softmaxes_by_symbol_;
  WorkCount whole_;
  bool has_anchors_ = false;
};

[[nodiscard]] inline Iteration body_of(const NestLoop& loop) {
  return {loop.body_start, loop.body_start + loop.period};
}

// Sets Loop::role of every loop, all but kRequest, which needs phases. Gives `cycles.loops` the
// size of the nest where it is shorter. `steps` are those of the stream's rank, by start.
void assign_roles(const trace::Trace& trace, std::span<const trace::Step> steps,
                  const WorkCounter& work, StreamCycles& cycles);

}  // namespace lockstep::analysis::cycles
