// Which phase the user's annotations give to each kernel of a stream.
//
// By launch: the annotation that the host was in when it launched the kernel, on the launching
// thread first. Where a file knows no launches (graph replays), the profiler's device-side copies
// of annotations are read instead.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "trace/host/window_index.h"

namespace lockstep::analysis::cycles {

// "decode", "step[EXTEND bs=4]", "execute_8192_context_9(...)_generation_37(...)",
// "Optimizer.step#AdamW.step"; nothing for names that tell no phase.
[[nodiscard]] std::optional<PhaseName> annotated_phase(std::string_view name);

// An annotation that names a phase.
struct NamedPhase {
  StringId name{};
  PhaseName phase = PhaseName::kUnknown;

  friend auto operator<=>(const NamedPhase&, const NamedPhase&) = default;
};
using PhaseWindow = trace::Window<NamedPhase>;

// Without the windows that begin inside one of inference and name no phase of it: "forward" inside
// "decode" leaves it decode.
[[nodiscard]] std::vector<PhaseWindow> telling(std::vector<PhaseWindow> windows);

// The annotations of a trace that name phases, joined with the kernels of any of its streams.
class AnnotationPhases {
 public:
  explicit AnnotationPhases(const trace::Trace& trace);

  // Whether any annotation of the stream's rank names a phase.
  [[nodiscard]] bool has_any(const KernelStream& stream) const;
  // The innermost annotation that covers kernel `i` and names a phase; null when there is none.
  [[nodiscard]] const NamedPhase* of(const KernelStream& stream, std::size_t i) const;
  [[nodiscard]] std::string_view text(const NamedPhase& phase) const {
    return trace_.text(phase.name);
  }
  // Whether any annotation of the stream's rank names an optimizer.
  [[nodiscard]] bool has_optimizer(const KernelStream& stream) const {
    return optimizers_.contains(stream.rank);
  }
  // One of the rank's annotations where all of them name one phase of inference; null otherwise.
  [[nodiscard]] const NamedPhase* only_phase(const KernelStream& stream) const;
  // The marked steps of a rank, by start.
  [[nodiscard]] std::span<const trace::Step> steps_of(trace::RankId rank) const;

 private:
  template <typename Id>
  using Windows = std::map<Id, trace::WindowIndex<NamedPhase>>;

  const trace::Trace& trace_;
  Windows<trace::TrackId> by_thread_;
  Windows<trace::RankId> by_rank_;      // of all its threads, and its marked steps
  Windows<trace::DeviceId> on_device_;  // the profiler's copies
  std::map<trace::RankId, NamedPhase> only_;
  std::set<trace::RankId> optimizers_;
  std::map<trace::RankId, std::vector<trace::Step>> steps_;
};

}  // namespace lockstep::analysis::cycles
