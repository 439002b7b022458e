// Runs the passes: opens the step mark, lets every device thread work, closes the mark.
#include "workload.h"

#include <algorithm>

#include <fmt/format.h>

#include "pass_builder.h"

namespace lockstep::tracegen {
namespace {

constexpr std::int64_t kBetweenStepsNs = 640;
constexpr std::uint64_t kPassesPerBufferRequest = 8;

void clear(Pass& pass) {
  pass.host.clear();
  pass.launches.clear();
  pass.collectives.clear();
  pass.annotations.clear();
  pass.overheads.clear();
}

// Work of the profiler itself; real files have a few such events, not one in every step.
void add_overheads(Pass& pass) {
  if (pass.index % kPassesPerBufferRequest != 0) return;
  const std::int64_t start = pass.start_ns + pass.stall_ns + 41'300;
  pass.overheads.push_back({"Activity Buffer Request", start, start + 203'752});
  if (pass.index != 0) return;
  pass.overheads.push_back({"Lazy Function Loading", start + 310'523, start + 335'838});
}

}  // namespace

Workload::Workload(const Options& options) : options_(options), plan_(options) {
  devices_.resize(options.devices);
  for (DeviceState& device : devices_) device.stream_free_ns.assign(options.streams, 0);
}

void Workload::generate_next(Pass& pass) {
  clear(pass);
  pass.index = next_pass_++;
  pass.step_name = fmt::format("ProfilerStep#{}", pass.index);
  pass.start_ns = clock_ns_;
  const bool stalls =
      options_.stall_every > 0 && pass.index > 0 && pass.index % options_.stall_every == 0;
  pass.stall_ns = stalls ? static_cast<std::int64_t>(options_.stall_us) * 1000 : 0;
  pass.step_external_id = ++ids_.external;
  pass.host.push_back({.kind = HostKind::kUserAnnotation,
                       .tid = thread_id(options_, 0),
                       .start_ns = pass.start_ns,
                       .name = pass.step_name,
                       .external_id = pass.step_external_id,
                       .event_index = ids_.event_index++});

  pass.end_ns = pass.start_ns;
  for (std::uint32_t device = 0; device < options_.devices; ++device) {
    PassBuilder builder(options_, plan_, ids_, devices_[device], pass, device);
    pass.end_ns = std::max(pass.end_ns, builder.run());
  }
  pass.host.front().end_ns = pass.end_ns;
  add_overheads(pass);
  clock_ns_ = pass.end_ns + kBetweenStepsNs;
}

std::uint32_t process_id(const Options& options) { return 966 + options.rank; }

std::uint32_t thread_id(const Options& options, std::uint32_t device) {
  return process_id(options) + 80 * device;
}

std::uint32_t stream_id(std::uint32_t stream) { return stream == 0 ? 7 : 16 + 4 * stream; }

}  // namespace lockstep::tracegen
