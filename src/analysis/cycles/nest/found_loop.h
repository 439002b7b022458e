// A loop on its way into the nest: found on one level of a stream, not yet measured.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cycles/nest/nest.h"

namespace lockstep::analysis::cycles {

// A repetition inside the body of a loop, as far as it goes: over the ends of the body too, as
// though the loop had no ends.
struct InnerRun {
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t period = 0;
};

// Indices are those of the stream.
struct FoundLoop {
  std::uint32_t period = 0;
  std::uint32_t body_start = 0;  // an iteration that is the body
  std::uint32_t run_start = 0;   // of the repetition that it comes from
  std::uint32_t run_end = 0;
  SymbolLevel level = SymbolLevel::kName;
  std::uint64_t exceptions = 0;
  bool holds_loop = false;      // a pass or a step: its body runs a loop that does real work
  std::vector<InnerRun> inner;  // those loops
  BorderEvidence border = BorderEvidence::kOnlyChoice;
  std::vector<Iteration> iterations;

  [[nodiscard]] std::uint32_t start() const { return iterations.front().start; }
  [[nodiscard]] std::uint32_t end() const { return iterations.back().end; }
  [[nodiscard]] bool is_exact() const { return exceptions == 0; }
  // Another loop has taken its place.
  [[nodiscard]] bool is_gone() const { return iterations.empty(); }
};

// A loop of so many kernels and iterations makes what holds it a pass or a step; shorter ones are
// residual blocks and rotary embeddings.
inline constexpr std::uint32_t kSmallestInnerPeriod = 5;
inline constexpr std::uint32_t kFewestInnerIterations = 3;
[[nodiscard]] inline bool is_real_work(const FoundLoop& loop) {
  return loop.period >= kSmallestInnerPeriod && loop.iterations.size() >= kFewestInnerIterations;
}

// What most iterations have at one place of the body.
struct ModalName {
  std::uint32_t name = 0;
  std::uint32_t count = 0;  // of them
};

// By place of the body; of names that are equally frequent the smallest.
[[nodiscard]] std::vector<ModalName> modal_names(std::span<const std::uint32_t> names,
                                                 std::uint32_t start, std::uint32_t period,
                                                 std::uint32_t complete);

// Gives `loop` so many iterations of its period from `start` on, one of them as its body (the one
// most like the others), and counts the exceptions.
void lay_iterations(std::span<const std::uint32_t> names, std::uint32_t start,
                    std::uint32_t complete, FoundLoop& loop);

// The body from its least rotation on: equal for equal loops, wherever they begin.
[[nodiscard]] std::vector<std::uint32_t> canonical_body(std::span<const std::uint32_t> names,
                                                        const FoundLoop& loop);

// Takes as the body of a loop by name the iteration that is most like what most have at each place,
// and counts what differs from that as exceptions.
void settle_body(std::span<const std::uint32_t> names, FoundLoop& loop);

// Makes the loops gone that overlap `winner`; `loops` are in order but for those around it.
void clear_overlapped(std::vector<FoundLoop>& loops, std::size_t winner);

}  // namespace lockstep::analysis::cycles
