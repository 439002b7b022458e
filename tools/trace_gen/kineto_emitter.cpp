// Writes the events of a pass; the frame around them is in kineto_frame.cpp.
#include "kineto_emitter.h"

#include <fmt/format.h>

namespace lockstep::tracegen {
namespace {

// Where the profiler's clock stood; real files have such 13-digit microseconds.
constexpr std::int64_t kClockNs = 3'851'702'988'958'433;
constexpr std::int64_t kEpochNs = 1'790'857'026'000'000'000;
constexpr std::uint32_t kRanksShown = 30;  // PyTorch cuts longer lists

Category host_category(HostKind kind) {
  switch (kind) {
    case HostKind::kUserAnnotation:
      return Category::kUserAnnotation;
    case HostKind::kPythonFunction:
      return Category::kPythonFunction;
    case HostKind::kCpuOp:
      break;
  }
  return Category::kCpuOp;
}

std::string group_json(const Options& options) {
  std::string ranks;
  for (std::uint32_t rank = 0; rank < options.world && rank < kRanksShown; ++rank) {
    ranks += fmt::format("{}{}", rank == 0 ? "" : ", ", rank);
  }
  if (options.world > kRanksShown) ranks += ", ...";
  return fmt::format(
      ", \"Group size\": {}, \"dtype\": \"BFloat16\", \"In split size\": \"[]\", \"Out split "
      "size\": \"[]\", \"Process Group Name\": \"0\", \"Process Group Description\": "
      "\"default_pg\", \"Process Group Ranks\": \"[{}]\"",
      options.world, ranks);
}

}  // namespace

KinetoEmitter::KinetoEmitter(const Options& options, ByteSink& sink, Truth& truth)
    : options_(options),
      sink_(sink),
      truth_(truth),
      is_compact_(options.quirks.compact),
      base_ns_(options.quirks.no_base_time ? kEpochNs + kClockNs : kClockNs),
      pid_(process_id(options)),
      flow_category_(options.quirks.old_flow_name ? "async_cpu_to_gpu" : "ac2g"),
      flow_name_(options.quirks.old_flow_name ? "async_gpu" : "ac2g"),
      group_json_(group_json(options)) {}

// No string that is written holds an escaped quote, so a quote always opens or closes one. White
// space outside strings comes in runs between longer pieces, so pieces are copied whole.
void KinetoEmitter::put_compact(std::string_view text) {
  std::size_t from = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') is_inside_string_ = !is_inside_string_;
    if (is_inside_string_ || (c != ' ' && c != '\n')) continue;
    sink_.append(text.substr(from, at - from));
    from = at + 1;
  }
  sink_.append(text.substr(from));
}

void KinetoEmitter::open_event() {
  put(is_first_event_ ? "  {\n    " : ",\n  {\n    ");
  is_first_event_ = false;
}

void KinetoEmitter::put_name_and_place(Category category, std::string_view name, std::uint64_t pid,
                                       std::uint64_t tid) {
  open_event();
  put("\"ph\": \"X\", \"cat\": \"");
  put(category_name(category));
  put("\", \"name\": \"");
  put(name);
  put("\", \"pid\": ");
  put_uint(pid);
  put(", \"tid\": ");
  put_uint(tid);
}

void KinetoEmitter::put_complete(Category category, std::int64_t start_ns, std::int64_t end_ns) {
  truth_.add_complete(category, start_ns, end_ns);
  put(",\n    \"ts\": ");
  sink_.append_us(base_ns_ + start_ns);
  put(", \"dur\": ");
  sink_.append_us(end_ns - start_ns);
}

void KinetoEmitter::pass(const Pass& pass) {
  for (const HostEvent& event : pass.host) host_event(event, pass);
  for (const Overhead& event : pass.overheads) overhead(event);
  for (const Launch& launch : pass.launches) launch_events(launch, pass);
  for (const DeviceAnnotation& annotation : pass.annotations) device_annotation(annotation, pass);
  for (std::uint32_t d = 0; options_.quirks.counters && d < options_.devices; ++d) {
    counter(d, pass);
  }
  truth_.end_pass(pass);
}

void KinetoEmitter::host_event(const HostEvent& event, const Pass& pass) {
  put_name_and_place(host_category(event.kind), event.name, pid_, event.tid);
  put_complete(host_category(event.kind), event.start_ns, event.end_ns);
  if (event.kind == HostKind::kPythonFunction) {
    put(",\n    \"args\": {\n      \"Python parent id\": ");
    if (event.python_parent_id == 0) {
      put("null");
    } else {
      put_uint(event.python_parent_id);
    }
    put(", \"Python id\": ");
    put_uint(event.python_id);
  } else {
    put(",\n    \"args\": {\n      \"External id\": ");
    put_uint(event.external_id);
    put(",\"Record function id\": 0");
  }
  if (event.collective >= 0) {
    put_collective(pass.collectives[static_cast<std::size_t>(event.collective)]);
  }
  put(", \"Ev Idx\": ");
  put_uint(event.event_index);
  put("\n    }");
  close_event();
}

void KinetoEmitter::launch_events(const Launch& launch, const Pass& pass) {
  if (launch.work == WorkKind::kNone) {
    api_event(launch);
    // Kineto ends a flow at calls that start nothing, on the host and without a beginning.
    flow_finish(launch, pid_, launch.tid, launch.api_start_ns);
    return;
  }
  if (launch.work == WorkKind::kKernel) {
    kernel_event(launch, pass);
  } else {
    memory_event(launch);
  }
  truth_.add_device_work(launch, pass);
  flow_finish(launch, launch.device, stream_id(launch.stream), launch.start_ns);
  if (launch.is_lost) return;
  api_event(launch);
  flow_start(launch);
}

void KinetoEmitter::put_device_place(const Launch& launch) {
  put("\"device\": ");
  put_uint(launch.device);
  put(", \"context\": ");
  put_uint(launch.device + 1);
  put(",      \"stream\": ");
  put_uint(stream_id(launch.stream));
  put(", \"correlation\": ");
  put_uint(launch.correlation);
  put(",");
}

void KinetoEmitter::kernel_event(const Launch& launch, const Pass& pass) {
  put_name_and_place(Category::kKernel, launch.slot->name, launch.device, stream_id(launch.stream));
  put_complete(Category::kKernel, launch.start_ns, launch.end_ns);
  put(",\n    \"args\": {\n      \"External id\": ");
  put_uint(launch.external_id);
  put(",      \"queued\": 0, ");
  put_device_place(launch);
  put(launch.slot->shape_json);
  if (launch.collective >= 0) {
    put_collective(pass.collectives[static_cast<std::size_t>(launch.collective)]);
  }
  put("\n    }");
  close_event();
}

void KinetoEmitter::memory_event(const Launch& launch) {
  const bool is_memset = launch.work == WorkKind::kMemset;
  const Category category = is_memset ? Category::kGpuMemset : Category::kGpuMemcpy;
  std::string_view name = "Memset (Device)";
  if (launch.work == WorkKind::kMemcpyHtoD) name = "Memcpy HtoD (Pinned -> Device)";
  if (launch.work == WorkKind::kMemcpyDtoH) name = "Memcpy DtoH (Device -> Pinned)";
  put_name_and_place(category, name, launch.device, stream_id(launch.stream));
  put_complete(category, launch.start_ns, launch.end_ns);
  put(",\n    \"args\": {\n      \"External id\": ");
  put_uint(launch.external_id);
  put(",      ");
  put_device_place(launch);
  put("      \"bytes\": ");
  put_uint(launch.bytes);
  // Bytes a nanosecond are gigabytes a second; nine decimals without floating point.
  const std::uint64_t billionths =
      launch.bytes * 1'000'000'000 / static_cast<std::uint64_t>(launch.end_ns - launch.start_ns);
  put(fmt::format(", \"memory bandwidth (GB/s)\": {}.{:09}", billionths / 1'000'000'000,
                  billionths % 1'000'000'000));
  put("\n    }");
  close_event();
}

void KinetoEmitter::api_event(const Launch& launch) {
  const Category category = launch.api.is_driver ? Category::kCudaDriver : Category::kCudaRuntime;
  put_name_and_place(category, launch.api.name, pid_, launch.tid);
  put_complete(category, launch.api_start_ns, launch.api_end_ns);
  put(",\n    \"args\": {\n      ");
  if (launch.external_id != 0) {
    put("\"External id\": ");
    put_uint(launch.external_id);
    put(",");
  }
  put("      \"cbid\": ");
  put_uint(launch.api.cbid);
  put(", \"correlation\": ");
  put_uint(launch.correlation);
  put("\n    }");
  close_event();
}

void KinetoEmitter::flow_start(const Launch& launch) {
  truth_.add_flow_start();
  open_event();
  put("\"ph\": \"s\", \"id\": ");
  put_uint(launch.correlation);
  put(", \"pid\": ");
  put_uint(pid_);
  put(", \"tid\": ");
  put_uint(launch.tid);
  put(", \"ts\": ");
  sink_.append_us(base_ns_ + launch.api_start_ns);
  put(",\n    \"cat\": \"");
  put(flow_category_);
  put("\", \"name\": \"");
  put(flow_name_);
  put("\"");
  close_event();
}

void KinetoEmitter::flow_finish(const Launch& launch, std::uint64_t pid, std::uint64_t tid,
                                std::int64_t ns) {
  truth_.add_flow_finish();
  open_event();
  put("\"ph\": \"f\", \"id\": ");
  put_uint(launch.correlation);
  put(", \"pid\": ");
  put_uint(pid);
  put(", \"tid\": ");
  put_uint(tid);
  put(", \"ts\": ");
  sink_.append_us(base_ns_ + ns);
  put(",\n    \"cat\": \"");
  put(flow_category_);
  put("\", \"name\": \"");
  put(flow_name_);
  put("\", \"bp\": \"e\"");
  close_event();
}

void KinetoEmitter::put_collective(const Collective& call) {
  put(", \"Collective name\": \"");
  put(collective_name(call.kind));
  put("\", \"In msg nelems\": ");
  put_uint(call.in_elements);
  put(", \"Out msg nelems\": ");
  put_uint(call.out_elements);
  put(group_json_);
  put(", \"Seq\": ");
  put_uint(call.sequence);
}

void KinetoEmitter::device_annotation(const DeviceAnnotation& annotation, const Pass& pass) {
  put_name_and_place(Category::kGpuUserAnnotation, pass.step_name, annotation.device,
                     stream_id(annotation.stream));
  put_complete(Category::kGpuUserAnnotation, annotation.start_ns, annotation.end_ns);
  put(",\n    \"args\": {\n      \"External id\": ");
  put_uint(pass.step_external_id);
  put("\n    }");
  close_event();
}

void KinetoEmitter::overhead(const Overhead& event) {
  open_event();
  put("\"ph\": \"X\", \"cat\": \"overhead\", \"name\": \"");
  put(event.name);
  put("\", \"pid\": -1, \"tid\": 0");
  put_complete(Category::kOverhead, event.start_ns, event.end_ns);
  close_event();
}

void KinetoEmitter::counter(std::uint32_t device, const Pass& pass) {
  truth_.add_counter();
  open_event();
  put(fmt::format("\"ph\": \"C\", \"name\": \"GPU {0} Utilization\", \"pid\": {0}, \"ts\": ",
                  device));
  sink_.append_us(base_ns_ + pass.start_ns);
  put(fmt::format(",\n    \"args\": {{\"GPU Utilization\": {}}}", 90 + pass.index % 10));
  close_event();
}

}  // namespace lockstep::tracegen
