// Kernels of a stretch, counted by what they do for a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/cycles/nest/nest.h"
#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// Attention is counted by its anchors; in a stretch without any, by the softmax kernels where there
// is one for the matrix work of a layer.
struct WorkCount {
  std::uint32_t forward_attention = 0;
  std::uint32_t backward_attention = 0;
  std::uint32_t prefill_attention = 0;  // helpers count here and below: they tell phases too
  std::uint32_t decode_attention = 0;
  std::uint32_t split_attention = 0;  // over keys
  std::uint32_t gemms = 0;            // convolutions and expert GEMMs too
  std::uint32_t experts = 0;          // expert GEMMs and the routing to them
  std::uint32_t optimizers = 0;
  std::uint32_t samplings = 0;
  std::uint32_t lookups = 0;     // in a table: a model that reads words begins with one
  std::uint32_t keeps = 0;       // of keys and values for later words, or what may be that
  std::uint32_t going_back = 0;  // of any kind, by name

  [[nodiscard]] std::uint32_t attention() const { return forward_attention + backward_attention; }
};

class WorkCounter {
 public:
  // `is_said_to_train`: the user's annotations name an optimizer.
  explicit WorkCounter(const KernelStream& stream, bool is_said_to_train = false);

  [[nodiscard]] WorkCount count(Iteration kernels) const;
  [[nodiscard]] const WorkCount& whole() const { return whole_; }
  [[nodiscard]] bool is_forward_attention(std::size_t kernel) const;
  // The stream trains: it runs backward attention, or an optimizer. Lists of tensors are copied and
  // scaled elsewhere too, by the kernels of optimizers: where neither a name nor an annotation
  // speaks of one and nothing goes back, these are none.
  [[nodiscard]] bool trains() const { return trains_; }

 private:
  // What attention is where it is written out.
  struct Softmaxes {
    std::uint32_t forward = 0;
    std::uint32_t backward = 0;
  };

  [[nodiscard]] bool is_foreign_attention_back() const;

  const KernelStream& stream_;
  std::vector<WorkCount> by_symbol_;
  std::vector<Softmaxes> softmaxes_by_symbol_;
  std::vector<bool> written_;  // by kernel, where no attention is named
  WorkCount whole_;
  bool has_anchors_ = false;
  bool trains_ = false;
};

}  // namespace lockstep::analysis::cycles
