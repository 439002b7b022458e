// What the host and the device did meanwhile.
#include "report/anomalies/words/artefact_words.h"

#include <fmt/format.h>

#include "base/text.h"

namespace lockstep::report::anomalies {
namespace {

using analysis::anomalies::Bubble;

std::string waiting_call(const trace::Trace& trace, const Bubble& bubble) {
  if (bubble.evidence_ops.empty()) return "a synchronising call";
  return std::string(trace.text(trace.events.name[trace::index_of(bubble.evidence_ops.front())]));
}

}  // namespace

std::string artefact_words(const trace::Trace& trace,
                           const analysis::anomalies::DeviceAnomalies& device,
                           const analysis::anomalies::Artefact& artefact) {
  const Bubble& bubble = device.bubbles[artefact.bubble];
  const std::string idle = human_time(artefact.idle);
  if (bubble.is_opaque)
    return fmt::format("for {} a replayed graph ran whose kernels the profiler did not record",
                       idle);
  const std::string waits = waiting_call(trace, bubble);
  if (bubble.kernel_after == analysis::anomalies::kNoKernel)
    return fmt::format("for {} the host sat in {} while nothing was recorded on the device", idle,
                       waits);
  const Time begun = device.timeline.kernels[bubble.kernel_after].start;
  const Time launched = trace.events.end(trace::index_of(bubble.launch_call));
  return fmt::format(
      "for {} the host sat in {} while nothing was recorded on the device, and the next kernel "
      "had been launched {} before it ran",
      idle, waits, human_time(begun - launched));
}

}  // namespace lockstep::report::anomalies
