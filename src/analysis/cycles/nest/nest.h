// The loops of one stream, as found: where their iterations lie, and in each other. No statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "analysis/cycles/stream/kernel_stream.h"

namespace lockstep::analysis::cycles {

// Kernels [start, end) of the stream.
struct Iteration {
  std::uint32_t start = 0;
  std::uint32_t end = 0;

  [[nodiscard]] std::uint32_t size() const { return end - start; }
  friend bool operator==(const Iteration&, const Iteration&) = default;
};

// Why the iterations begin where they do and not some kernels later.
enum class BorderEvidence : std::uint8_t {
  kOnlyChoice,   // the run leaves no other place
  kAnnotation,   // an annotation or marked step begins with the launch of this kernel
  kGraphLaunch,  // each iteration is one graph launch
  kGap,          // the largest median gap inside the slack
  kLeftmost,     // the first place after the sibling before (layers)
  kAnchor,       // the anchor kernel of --method anchor
};
// "only_choice", "annotation", "graph_launch", "gap", "leftmost", "anchor"
[[nodiscard]] std::string_view name_of(BorderEvidence evidence);

// One occurrence of a loop: its complete iterations, one after the other, and what is left of
// iterations that the capture or a neighbour cut off, which belongs to the parent.
struct LoopInstance {
  std::vector<Iteration> iterations;
  std::uint32_t partial_before = 0;  // kernels just before that end an iteration; 0 for none
  std::uint32_t partial_after = 0;   // kernels just after that begin one

  [[nodiscard]] std::uint32_t start() const { return iterations.front().start; }
  [[nodiscard]] std::uint32_t end() const { return iterations.back().end; }
};

inline constexpr std::int32_t kNoLoop = -1;

// One place in the nest: a loop under one parent, at one place of the parent's body.
struct NestLoop {
  std::uint32_t id = 0;  // loops with the same body up to rotation share it, wherever they stand
  std::int32_t parent = kNoLoop;  // index in Nest::loops; comes before its children
  std::uint32_t depth = 0;
  std::uint32_t period = 0;      // kernels of the body
  std::uint32_t body_start = 0;  // an iteration that is the body: the modal one
  // The maximal repetition of the first instance; where is_exact is false, its iterations.
  std::uint32_t run_start = 0;
  std::uint32_t run_end = 0;
  bool is_exact = true;          // all iterations have the same names
  std::uint64_t exceptions = 0;  // kernels of the first instance that differ from the body by name
  SymbolLevel symbol = SymbolLevel::kName;  // level of the run that it was found by
  BorderEvidence border = BorderEvidence::kOnlyChoice;
  std::uint32_t anchors_per_body = 0;   // layers of the body, counted by attention
  std::vector<LoopInstance> instances;  // in order; one for each occurrence under this parent
};

// Iterations of most occurrences of a loop; of the larger number where several are as frequent. The
// capture may have cut the first one off.
[[nodiscard]] std::uint32_t usual_iterations(const NestLoop& loop);

using NameCounts = std::map<std::uint32_t, std::uint32_t>;  // how often each name runs

struct Nest {
  std::vector<NestLoop> loops;  // by (start of the first instance, depth)
  // Bodies of those that are layers without attention in a stream that has attention.
  std::vector<NameCounts> without_attention;
};

}  // namespace lockstep::analysis::cycles
