// What people are shown first of the loops of a trace, and how loops and streams are called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

// Kernels in the complete iterations of all instances.
[[nodiscard]] std::uint64_t kernels_in(const analysis::cycles::NestLoop& loop);

// Whether passes of a family come one after the other in the iterations of a loop that is neither
// request nor step: the order of a server that repeats by chance.
[[nodiscard]] bool holds_passes_by_chance(const analysis::cycles::StreamCycles& stream,
                                          std::size_t loop);

// The outermost loop of several kernels that takes the most time, or the one that --mode selected.
[[nodiscard]] std::optional<std::size_t> main_loop(const analysis::cycles::StreamCycles& stream);

// The child that holds at least half of the kernels of `loop`: the layers of a pass.
[[nodiscard]] std::optional<std::size_t> main_child(const analysis::cycles::StreamCycles& stream,
                                                    std::size_t loop);

// Indices of the loops worth a line: not those of one kernel or with two iterations, nor those with
// less than 5 % of their parent's kernels; but always the main loop, and every loop around one that
// is shown.
[[nodiscard]] std::vector<std::size_t> shown_loops(const analysis::cycles::StreamCycles& stream,
                                                   bool show_all);

// More are counted only.
inline constexpr std::size_t kMaxShownStreams = 4;

// Indices of the streams worth a section, those with the most kernels first.
[[nodiscard]] std::vector<std::size_t> shown_streams(const analysis::cycles::Cycles& cycles,
                                                     bool show_all);

// "stream 7 of device 0", "rank 3, stream 7 of device 0"
[[nodiscard]] std::string stream_words(const analysis::cycles::KernelStream& stream);

// "decode pass", "layer"; a loop without a role is `otherwise`.
[[nodiscard]] std::string loop_words(analysis::cycles::LoopRole role,
                                     analysis::cycles::PhaseName phase,
                                     std::string_view otherwise = "loop");
[[nodiscard]] std::string loop_words(const analysis::cycles::Loop& loop);

// Why iterations begin where they do: "annotation", "longest gap", "first repeat".
[[nodiscard]] std::string border_words(analysis::cycles::BorderEvidence border);

// "prefill". Training steps have no phase of their own: those of the loops in them, in the order in
// which they run, "forward + backward", or "-".
[[nodiscard]] std::string phase_words(const analysis::cycles::StreamCycles& stream,
                                      const analysis::cycles::PhaseSpan& span);

// Says that not all annotations were asked; empty when they were.
[[nodiscard]] std::string left_out_words(const analysis::cycles::Cycles& cycles);

// Kernels [start, end) that no loop holds.
[[nodiscard]] std::vector<analysis::cycles::Iteration> outside_of_loops(
    const analysis::cycles::StreamCycles& stream);

// From the start of the first to the end of the last of these kernels.
[[nodiscard]] Time wall_of(const analysis::cycles::KernelStream& stream, std::uint32_t start,
                           std::uint32_t end);

// How long each of some passes takes, in order. The gap to the next one is the pass's own where
// that follows at once, as in loops.
[[nodiscard]] std::vector<Time> pass_walls(const analysis::cycles::KernelStream& stream,
                                           const std::vector<analysis::cycles::Iteration>& passes);

// (run_end - run_start) / period, in hundredths, rounded half to even; nothing for a loop that does
// not repeat exactly.
[[nodiscard]] std::optional<std::uint64_t> repetition_hundredths(
    const analysis::cycles::NestLoop& loop);

}  // namespace lockstep::report::cycles
