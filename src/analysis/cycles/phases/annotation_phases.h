// Which phase the user's annotations give to each kernel of a stream.
//
// By launch: the annotation that the host was in when it launched the kernel, on the launching
// thread first. Where a file knows no launches (graph replays), the profiler's device-side copies
// of annotations are read instead.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/cycles/cycles.h"

namespace lockstep::analysis::cycles {

// "decode", "step[EXTEND bs=4]", "execute_8192_context_9(...)_generation_37(...)",
// "Optimizer.step#AdamW.step"; nothing for names that tell no phase.
[[nodiscard]] std::optional<PhaseName> annotated_phase(std::string_view name);

struct PhaseWindow {
  Time start;
  Time end;
  PhaseName phase = PhaseName::kUnknown;
  StringId name{};
};

// Windows cut so that none overlap: at every time the innermost one, except that "forward" inside
// "decode" leaves it decode. Ordered by start.
[[nodiscard]] std::vector<PhaseWindow> innermost(std::vector<PhaseWindow> windows);

// The annotations of a trace that name phases, joined with the kernels of any of its streams.
class AnnotationPhases {
 public:
  explicit AnnotationPhases(const trace::Trace& trace);

  // Whether any annotation of the stream's rank names a phase.
  [[nodiscard]] bool has_any(const KernelStream& stream) const;
  // The annotation that covers kernel `i` and names a phase; null when there is none.
  [[nodiscard]] const PhaseWindow* of(const KernelStream& stream, std::size_t i) const;
  [[nodiscard]] std::string_view text(const PhaseWindow& window) const {
    return trace_.text(window.name);
  }
  // One of the rank's annotations where all of them name one phase of inference; null otherwise.
  [[nodiscard]] const PhaseWindow* only_phase(const KernelStream& stream) const;
  // The marked steps of a rank, by start.
  [[nodiscard]] std::span<const trace::Step> steps_of(trace::RankId rank) const;

 private:
  using Windows = std::vector<PhaseWindow>;
  void collect();

  const trace::Trace& trace_;
  std::map<trace::TrackId, Windows> by_thread_;
  std::map<trace::RankId, Windows> by_rank_;      // of all its threads, and its marked steps
  std::map<trace::DeviceId, Windows> on_device_;  // the profiler's copies
  std::map<trace::RankId, PhaseWindow> only_;
  std::map<trace::RankId, std::vector<trace::Step>> steps_;
};

}  // namespace lockstep::analysis::cycles
