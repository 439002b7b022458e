// Where the user's annotations begin, in kernels: the first kernel that was launched inside each.
//
// By launch time, not by device time: the host runs ahead, and an annotation is long over when its
// kernels run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/cycles/stream/kernel_stream.h"
#include "trace/host/window_index.h"
#include "trace/trace.h"

namespace lockstep::analysis::cycles {

// Annotations with one name but for numbers: "ProfilerStep#" is ProfilerStep#1, ProfilerStep#2, ...
//
// What updates weights (Optimizer.step) closes a step: the next one begins behind it, so its marks
// are the kernels behind, and the end of the stream where none is left.
struct MarkClass {
  std::string name;
  std::vector<std::uint32_t> first_kernels;  // of a stream, ascending
  std::uint64_t kernels = 0;                 // of the stream that were launched inside
  std::uint32_t last_end = 0;                // behind the last of them
  Time total;                                // length of all annotations of the class
  bool is_step = false;                      // the user's own steps
  bool closes = false;
};

// The annotations and marked steps of all ranks, read once for all streams.
class MarkWindows {
 public:
  struct Class {
    trace::WindowIndex<> windows;
    Time total;  // length of all of them
    bool is_step = false;
    bool closes = false;
  };

  explicit MarkWindows(const trace::Trace& trace);

  // By name without numbers; of very many names those of the longest windows.
  [[nodiscard]] const std::map<std::string, Class>& of(trace::RankId rank) const {
    return by_rank_[trace::index_of(rank)];
  }
  // How many of all ranks there are, and how many of() gives.
  [[nodiscard]] std::uint64_t all_classes() const { return all_classes_; }
  [[nodiscard]] std::uint64_t asked_classes() const { return asked_classes_; }

 private:
  std::vector<std::map<std::string, Class>> by_rank_;
  std::uint64_t all_classes_ = 0;
  std::uint64_t asked_classes_ = 0;
};

// The classes of a stream's rank that mark kernels of it at least twice: steps, what closes
// them, then the longest in all first.
[[nodiscard]] std::vector<MarkClass> launch_marks(const trace::Trace& trace,
                                                  const MarkWindows& windows,
                                                  const KernelStream& stream);

// The first kernel of each graph launch that ran several kernels.
[[nodiscard]] std::vector<std::uint32_t> graph_launch_marks(const KernelStream& stream);

}  // namespace lockstep::analysis::cycles
