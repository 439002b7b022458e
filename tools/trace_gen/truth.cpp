// Counting, exact unions and the truth document.
#include "truth.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

namespace lockstep::tracegen {

std::string_view category_name(Category category) {
  constexpr std::array<std::string_view, kCategoryCount> kNames{
      "cpu_op", "user_annotation", "python_function", "cuda_runtime",        "cuda_driver",
      "kernel", "gpu_memcpy",      "gpu_memset",      "gpu_user_annotation", "overhead",
      "Trace"};
  return kNames[static_cast<std::size_t>(category)];
}

void RunningUnion::add(std::int64_t start_ns, std::int64_t end_ns) {
  const std::int64_t from = std::max(start_ns, end_ns_);
  if (end_ns <= from) return;
  length_ns_ += end_ns - from;
  end_ns_ = end_ns;
}

Truth::Truth(const Options& options, const Plan& plan) : options_(options), plan_(plan) {
  devices_.resize(options.devices);
  for (DeviceTally& device : devices_) device.streams.resize(options.streams);
}

void Truth::add_complete(Category category, std::int64_t start_ns, std::int64_t end_ns) {
  ++by_category_[static_cast<std::size_t>(category)];
  if (category == Category::kTrace) return;
  first_ns_ = std::min(first_ns_, start_ns);
  last_ns_ = std::max(last_ns_, end_ns);
}

void Truth::add_device_work(const Launch& launch, const Pass& pass) {
  DeviceTally& device = devices_[launch.device];
  StreamTally& stream = device.streams[launch.stream];
  const std::uint64_t kernels = launch.work == WorkKind::kKernel ? 1 : 0;
  device.kernels += kernels;
  stream.kernels += kernels;
  ++device.device_events;
  ++stream.device_events;
  device.first_ns = std::min(device.first_ns, launch.start_ns);
  device.last_ns = std::max(device.last_ns, launch.end_ns);
  device.pending.push_back({launch.start_ns, launch.end_ns});
  stream.busy.add(launch.start_ns, launch.end_ns);  // a stream's work comes in order
  if (!launch.is_lost) ++launches_joined_;
  if (launch.collective < 0) return;
  const Collective& call = pass.collectives[static_cast<std::size_t>(launch.collective)];
  ++collectives_[static_cast<std::size_t>(call.kind)];
}

void Truth::end_pass(const Pass& pass) {
  for (DeviceTally& device : devices_) {
    std::sort(device.pending.begin(), device.pending.end(),
              [](const Interval& a, const Interval& b) { return a.start_ns < b.start_ns; });
    if (pass.stall_ns > 0 && &device == &devices_.front() && !device.pending.empty()) {
      stalls_.push_back({pass.index, pass.stall_ns,
                         device.pending.front().start_ns - device.busy.covered_until_ns()});
    }
    for (const Interval& work : device.pending) device.busy.add(work.start_ns, work.end_ns);
    device.pending.clear();
  }
  steps_.push_back({pass.step_name, pass.start_ns, pass.end_ns});
}

std::string Truth::to_json(std::int64_t first_ts_ns) const {
  std::string out = "{\n";
  fmt::format_to(std::back_inserter(out), "  \"seed\": {},\n  \"first_ts_ns\": {},\n",
                 options_.seed, first_ts_ns);
  write_counts(out);
  write_devices(out);
  write_structure(out);
  write_steps(out);
  out += "}\n";
  return out;
}

void Truth::write_counts(std::string& out) const {
  const auto to = std::back_inserter(out);
  const std::uint64_t complete =
      std::accumulate(by_category_.begin(), by_category_.end(), std::uint64_t{0});
  const std::uint64_t events = complete + instants_ + counters_;
  const std::uint64_t flows = flows_started_ + flows_finished_;
  fmt::format_to(to, "  \"json_events\": {},\n  \"events\": {},\n  \"by_category\": {{",
                 events + flows + metadata_, events);
  for (std::size_t i = 0; i < kCategoryCount; ++i) {
    if (by_category_[i] == 0) continue;
    fmt::format_to(to, "\"{}\": {}, ", category_name(static_cast<Category>(i)), by_category_[i]);
  }
  if (counters_ > 0) fmt::format_to(to, "\"counter\": {}, ", counters_);
  fmt::format_to(to, "\"instant\": {}}},\n", instants_);
  fmt::format_to(to, "  \"metadata\": {},\n  \"flows_started\": {},\n  \"flows_finished\": {},\n",
                 metadata_, flows_started_, flows_finished_);
  fmt::format_to(to, "  \"launches_joined\": {},\n  \"kernels\": {},\n  \"span_ns\": {},\n",
                 launches_joined_, by_category_[static_cast<std::size_t>(Category::kKernel)],
                 last_ns_ - first_ns_);
}

void Truth::write_devices(std::string& out) const {
  const auto to = std::back_inserter(out);
  std::int64_t busy = 0;
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  out += "  \"devices\": [";
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const DeviceTally& device = devices_[d];
    busy += device.busy.length_ns();
    first = std::min(first, device.first_ns);
    last = std::max(last, device.last_ns);
    fmt::format_to(to,
                   "{}\n    {{\"device\": {}, \"kernels\": {}, \"device_events\": {}, \"busy_ns\": "
                   "{}, \"span_ns\": {}, \"streams\": [",
                   d == 0 ? "" : ",", d, device.kernels, device.device_events,
                   device.busy.length_ns(), device.last_ns - device.first_ns);
    std::string_view separator;
    for (std::size_t s = 0; s < device.streams.size(); ++s) {
      const StreamTally& stream = device.streams[s];
      if (stream.device_events == 0) continue;
      fmt::format_to(to,
                     "{}\n      {{\"stream\": {}, \"kernels\": {}, \"device_events\": {}, "
                     "\"busy_ns\": {}}}",
                     separator, stream_id(static_cast<std::uint32_t>(s)), stream.kernels,
                     stream.device_events, stream.busy.length_ns());
      separator = ",";
    }
    out += "]}";
  }
  fmt::format_to(to, "],\n  \"device_busy_ns\": {},\n  \"device_span_ns\": {},\n", busy,
                 last - first);
}

void Truth::write_structure(std::string& out) const {
  const auto to = std::back_inserter(out);
  const bool distributed = options_.world > 1;
  fmt::format_to(to, "  \"passes\": {},\n  \"layers\": {},\n  \"kernels_per_layer\": {},\n",
                 steps_.size(), options_.layers, plan_.body.size());
  fmt::format_to(to,
                 "  \"collectives_per_layer\": {},\n  \"prologue_kernels\": {},\n"
                 "  \"epilogue_kernels\": {},\n  \"distinct_kernel_names\": {},\n",
                 distributed ? 1 : 0, plan_.prologue.size(), plan_.epilogue.size(),
                 plan_.names.size() + (distributed ? kCollectiveKindCount : 0));
  out += "  \"collectives\": {";
  for (std::size_t i = 0; distributed && i < kCollectiveKindCount; ++i) {
    fmt::format_to(to, "{}\"{}\": {}", i == 0 ? "" : ", ",
                   collective_name(static_cast<CollectiveKind>(i)), collectives_[i]);
  }
  out += "},\n  \"layer_body\": [";
  for (const KernelSlot& slot : plan_.body) {
    fmt::format_to(to, "{}\n    \"{}\"", &slot == plan_.body.data() ? "" : ",", slot.name);
  }
  out += "],\n";
}

void Truth::write_steps(std::string& out) const {
  const auto to = std::back_inserter(out);
  out += "  \"stalls\": [";
  for (const Stall& stall : stalls_) {
    fmt::format_to(to, "{}\n    {{\"pass\": {}, \"ns\": {}, \"device_idle_ns\": {}}}",
                   &stall == stalls_.data() ? "" : ",", stall.pass, stall.sleep_ns,
                   stall.device_idle_ns);
  }
  out += "],\n  \"steps\": [";
  for (const Step& step : steps_) {
    fmt::format_to(to, "{}\n    {{\"name\": \"{}\", \"start_ns\": {}, \"end_ns\": {}}}",
                   &step == steps_.data() ? "" : ",", step.name, step.start_ns - first_ns_,
                   step.end_ns - first_ns_);
  }
  out += "]\n";
}

}  // namespace lockstep::tracegen
