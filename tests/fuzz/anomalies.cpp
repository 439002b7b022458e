// Any events, launches and markers whatsoever: the search for anomalies neither crashes nor says
// figures that do not add up. Six bytes make one event: kind, track, name, start, length, launch.
#include "analysis/anomalies/anomalies.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "fuzz_check.h"
#include "trace/trace_for_test.h"

namespace lockstep {
namespace {

constexpr std::size_t kEventBytes = 6;
constexpr std::int64_t kUnitNs = 7'000;  // long enough for bubbles to be significant
constexpr std::array<std::string_view, 8> kNames = {
    "gemm",     "flash_fwd",        "cudaGraphLaunch",  "cudaStreamSynchronize",
    "aten::to", "c10d::allreduce_", "cudaLaunchKernel", "Notify_Wait"};

class MadeTrace {
 public:
  MadeTrace() {
    const trace::DeviceId first = made_.add_device("0");
    tracks_ = {made_.host, made_.add_host_thread("2"), made_.add_stream(first, "7"),
               made_.add_stream(first, "8")};
    made_.add_rank(std::nullopt);
    tracks_.push_back(made_.host);
    tracks_.push_back(made_.add_stream(made_.add_device("1"), "7"));
  }

  void add(std::span<const std::uint8_t> bytes) {
    const std::size_t which = bytes[1] % tracks_.size();
    const trace::TrackId track = tracks_[which];
    const auto start = static_cast<std::int64_t>(bytes[3]) * kUnitNs;
    const std::int64_t length = static_cast<std::int64_t>(bytes[4] & 31) * kUnitNs;
    if (bytes[0] >= 240) {
      made_.trace.steps.push_back({made_.trace.strings.intern("ProfilerStep#1"),
                                   made_.trace.rank_of(made_.trace.tracks[trace::index_of(track)]),
                                   Time{start * kPicosecondsPerNanosecond},
                                   Time{(start + length) * kPicosecondsPerNanosecond}});
      return;
    }
    const auto kind = static_cast<trace::Kind>(bytes[0] % trace::kKindCount);
    const trace::EventId event =
        made_.add(track, kind, kNames[bytes[2] % kNames.size()], start, length, bytes[4] >> 5);
    if (bytes[5] == 0 || made_.trace.events.size() < 2) return;
    const trace::EventId from{bytes[5] %
                              (static_cast<std::uint32_t>(made_.trace.events.size()) - 1)};
    const auto arrow = bytes[5] % 3 == 0 ? trace::Flow::Kind::kOther : trace::Flow::Kind::kLaunch;
    const StringId name = made_.trace.strings.intern("async_task_queue");
    made_.trace.flows.push_back({from, event, arrow, name});
  }

  [[nodiscard]] const trace::Trace& trace() const { return made_.trace; }

 private:
  trace::TestTrace made_;
  std::vector<trace::TrackId> tracks_;
};

void check_step(const analysis::anomalies::DeviceAnomalies& device,
                const analysis::anomalies::AnomalyStep& step) {
  const analysis::anomalies::GapMetrics& gaps = step.facts.gaps;
  LOCKSTEP_FUZZ_CHECK(step.start <= step.end);
  LOCKSTEP_FUZZ_CHECK(gaps.device_busy + gaps.underfeed == gaps.service);
  LOCKSTEP_FUZZ_CHECK(gaps.prelaunch + gaps.internal_total + gaps.tail == gaps.underfeed);
  LOCKSTEP_FUZZ_CHECK(gaps.device_busy <= gaps.any_busy && gaps.any_busy <= gaps.service);
  LOCKSTEP_FUZZ_CHECK(gaps.inter_step <= gaps.tail);
  LOCKSTEP_FUZZ_CHECK(gaps.artefact_idle + gaps.dispatch_total <= gaps.underfeed);
  LOCKSTEP_FUZZ_CHECK(step.group < device.groups.size());
  LOCKSTEP_FUZZ_CHECK(static_cast<std::size_t>(step.tags.size()) == step.reasons.size());
}

void check_bubble(const analysis::anomalies::DeviceAnomalies& device,
                  const analysis::anomalies::Bubble& bubble) {
  const analysis::anomalies::AnomalyStep& step = device.steps[bubble.step];
  LOCKSTEP_FUZZ_CHECK(step.start <= bubble.start && bubble.start < bubble.end);
  LOCKSTEP_FUZZ_CHECK(bubble.end <= step.end);
  LOCKSTEP_FUZZ_CHECK(bubble.host_covered <= bubble.length());
  LOCKSTEP_FUZZ_CHECK(bubble.sync_covered <= bubble.length());
  LOCKSTEP_FUZZ_CHECK(bubble.copied <= bubble.length());
  LOCKSTEP_FUZZ_CHECK(!bubble.labels.empty());
  Time stages;
  for (const Time stage : bubble.stages) stages += stage;
  const Time parts = bubble.host_part + bubble.queued_part;
  LOCKSTEP_FUZZ_CHECK(parts == (bubble.has_launch ? bubble.length() : Time{}));
  LOCKSTEP_FUZZ_CHECK(stages == parts);
}

void check_device(const analysis::anomalies::DeviceAnomalies& device) {
  LOCKSTEP_FUZZ_CHECK(!device.steps.empty() && !device.groups.empty());
  for (const analysis::anomalies::AnomalyStep& step : device.steps) check_step(device, step);
  for (const analysis::anomalies::Bubble& bubble : device.bubbles) check_bubble(device, bubble);
  std::size_t grouped = 0;
  for (const analysis::anomalies::StepGroup& group : device.groups) grouped += group.steps.size();
  LOCKSTEP_FUZZ_CHECK(grouped == device.steps.size());
  LOCKSTEP_FUZZ_CHECK(device.structures.size() == device.groups.size());
  for (const analysis::anomalies::StructureBreakdown& one : device.structures) {
    std::size_t kernels = 0;
    for (const analysis::anomalies::Structure& structure : one.structures)
      kernels += structure.kernels;
    LOCKSTEP_FUZZ_CHECK(kernels == device.steps[one.step].kernels.size());
  }
}

}  // namespace
}  // namespace lockstep

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lockstep::MadeTrace made;
  const std::span<const std::uint8_t> bytes(data, size);
  for (std::size_t i = 0; i + lockstep::kEventBytes <= size; i += lockstep::kEventBytes)
    made.add(bytes.subspan(i, lockstep::kEventBytes));
  const lockstep::analysis::anomalies::Anomalies found =
      lockstep::analysis::anomalies::find_anomalies(made.trace());
  for (const lockstep::analysis::anomalies::DeviceAnomalies& device : found.devices)
    lockstep::check_device(device);
  return 0;
}
