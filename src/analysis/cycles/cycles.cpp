// Every stream on its own, on as many threads as the machine has.
#include "analysis/cycles/cycles.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/cycles/anchor/anchor_method.h"
#include "analysis/cycles/measure/loop_breakdown.h"
#include "analysis/cycles/measure/measure.h"
#include "analysis/cycles/nest/loop_selection.h"
#include "analysis/cycles/nest/nest_finder.h"
#include "analysis/cycles/phases/phases.h"
#include "base/threads/on_threads.h"

namespace lockstep::analysis::cycles {
namespace {

StreamCycles cycles_of(const trace::Trace& trace, const MarkWindows& windows,
                       const AnnotationPhases& annotations, KernelStream stream,
                       const CyclesOptions& options) {
  StreamCycles cycles;
  cycles.stream = std::move(stream);
  if (options.method == CycleMethod::kAnchor) {
    AnchorLoops found = find_anchor_loops(cycles.stream, options.anchor, options.mode);
    cycles.nest = std::move(found.nest);
    cycles.patterns = std::move(found.patterns);
  } else {
    cycles.nest = find_nest(trace, windows, cycles.stream, options);
  }
  cycles.loops = measure_loops(cycles.stream, cycles.nest, trace.strings);
  classify(trace, annotations, cycles);
  cycles.covered = covered_kernels(cycles.nest);
  cycles.selected = select_loop(cycles, options.mode);
  return cycles;
}

}  // namespace

std::string_view name_of(PhaseName phase) {
  static constexpr std::array<std::string_view, kPhaseNameCount> kNames = {
      "prefill",   "decode",   "mixed",   "forward", "backward",
      "optimizer", "training", "encoder", "request", "unknown"};
  return kNames[static_cast<std::size_t>(phase)];
}

std::string_view name_of(LoopRole role) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "request", "round", "step", "micro_step", "pass", "layer", "inner", "unknown"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view name_of(Strength strength) {
  static constexpr std::array<std::string_view, 3> kNames = {"fact", "probable", "possible"};
  return kNames[static_cast<std::size_t>(strength)];
}

Cycles find_cycles(const trace::Trace& trace, const CyclesOptions& options) {
  std::vector<KernelStream> streams = kernel_streams(trace);
  const MarkWindows windows(trace);
  const AnnotationPhases annotations(trace);
  const breakdown::DeviceOccupancy occupancy(trace);
  Cycles cycles;
  cycles.mark_classes = windows.all_classes();
  cycles.asked_mark_classes = windows.asked_classes();
  cycles.streams.resize(streams.size());
  const auto work = [&](std::size_t, std::size_t i) {
    StreamCycles& stream = cycles.streams[i];
    stream = cycles_of(trace, windows, annotations, std::move(streams[i]), options);
    break_down(occupancy.of(stream.stream.rank, stream.stream.device), stream);
  };
  run_on_threads(thread_count(options.threads), streams.size(), work);
  return cycles;
}

}  // namespace lockstep::analysis::cycles
