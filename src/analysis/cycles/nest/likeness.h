// Whether two iterations are of one loop although they are not equal.
//
// Passes differ by a kernel replaced here and there, or by kernels that only some of them have: the
// first step of an optimizer makes its state, the first of several micro-steps has no gradients to
// add to, the first word of a decoder computes keys of what the encoder saw. Then nearly all of
// the shorter one is in the longer one. Passes of two phases differ in both directions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace lockstep::analysis::cycles {

// Shares of the body's kernels.
struct Likeness {
  double replaced = 0.05;  // of the one that has fewer kernels of its own
  double added = 0.25;     // of the other one
};

// Bodies of more than some ten thousand kernels that differ more are not worth the search.
inline constexpr std::uint32_t kMostEdits = 512;

// The most edits between iterations that are alike.
[[nodiscard]] std::uint32_t most_edits(const Likeness& likeness, std::uint32_t period);

// The edit distance of two iterations that are alike; nothing where they are not.
[[nodiscard]] std::optional<std::uint32_t> distance_if_alike(const Likeness& likeness,
                                                             std::span<const std::uint32_t> body,
                                                             std::span<const std::uint32_t> other);

}  // namespace lockstep::analysis::cycles
