// Writes what stands around the events: header, metadata of processes and threads, closing marks.
#include <fmt/format.h>

#include "kineto_emitter.h"
#include "rng.h"

namespace lockstep::tracegen {
namespace {

constexpr std::uint64_t kTraceIdSeedPart = 6;
constexpr std::int64_t kSpanLeadNs = 200'016;      // the profiler starts before the first event
constexpr std::int64_t kMetadataLeadNs = 121'297;  // and writes its metadata at this time
constexpr std::int64_t kSpanTailNs = 310'407;
constexpr std::int64_t kWindowTailNs = 56'128'788;
constexpr std::uint32_t kListedGpus = 16;  // Kineto names so many GPUs, present or not

std::string digits(std::uint64_t number) { return fmt::format("{}", number); }

}  // namespace

void KinetoEmitter::header() {
  put("\n  {\n    \"schemaVersion\": 1,\n    \"deviceProperties\": [\n");
  device_properties();
  put("    ],\n");
  distributed_info();
  const std::uint64_t high = derive_seed(options_.seed, kTraceIdSeedPart, 2ULL * options_.rank);
  const std::uint64_t low = derive_seed(options_.seed, kTraceIdSeedPart, 2ULL * options_.rank + 1);
  put(fmt::format("      \"trace_id\": \"{:016X}{:016X}\",\n", high, low));
  put("      \"cuda_driver_version\": 13000,\n      \"cuda_runtime_version\": 13000,\n"
      "      \"cupti_version\": 130001,\n  \"displayTimeUnit\": \"ms\",\n");
  if (!options_.quirks.no_base_time) put("  \"baseTimeNanoseconds\": 1790857026000000000,\n");
  put("  \"traceEvents\": [\n");
}

void KinetoEmitter::device_properties() {
  for (std::uint32_t device = 0; device < options_.devices; ++device) {
    put(device == 0 ? "    {\n" : ",\n    {\n");
    put(
        fmt::format("      \"id\": {}, \"name\": \"NVIDIA H200\", \"totalGlobalMem\": "
                    "150109880320,\n",
                    device));
    put("      \"computeMajor\": 9, \"computeMinor\": 0,\n"
        "      \"maxThreadsPerBlock\": 1024, \"maxThreadsPerMultiprocessor\": 2048,\n"
        "      \"regsPerBlock\": 65536, \"warpSize\": 32,\n"
        "      \"sharedMemPerBlock\": 49152, \"numSms\": 132\n"
        "    , \"regsPerMultiprocessor\": 65536, \"sharedMemPerBlockOptin\": 232448, "
        "\"sharedMemPerMultiprocessor\": 233472\n    }");
  }
  put("\n");
}

void KinetoEmitter::distributed_info() {
  if (options_.world < 2) return;
  put(
      fmt::format("      \"distributedInfo\": {{\"backend\": \"nccl\", \"rank\": {0}, "
                  "\"world_size\": {1}, \"pg_count\": 1, \"pg_config\": [{{\"pg_name\": \"0\", "
                  "\"pg_desc\": \"default_pg\", \"backend_config\": \"cuda:nccl\", \"pg_size\": "
                  "{1}, \"ranks\": [",
                  options_.rank, options_.world));
  for (std::uint32_t rank = 0; rank < options_.world; ++rank) {
    put(fmt::format("{}{}", rank == 0 ? "" : ", ", rank));
  }
  put("]}], \"nccl_version\": \"2.27.5\"},\n");
}

void KinetoEmitter::footer() {
  process_metadata();
  thread_metadata();
  closing_events();
  put(fmt::format("\n  ],\n  \"traceName\": \"tracegen_seed{}_rank{}.json\"\n}}", options_.seed,
                  options_.rank));
}

void KinetoEmitter::metadata(std::string_view name, std::string_view pid, std::uint64_t tid,
                             std::string_view args) {
  truth_.add_metadata();
  open_event();
  put(fmt::format("\"name\": \"{}\", \"ph\": \"M\", \"ts\": ", name));
  sink_.append_us(base_ns_ - kMetadataLeadNs);
  put(fmt::format(", \"pid\": {}, \"tid\": {},\n    \"args\": {{\n      {}\n    }}", pid, tid,
                  args));
  close_event();
}

void KinetoEmitter::process_metadata() {
  const auto process = [this](std::uint64_t pid, std::string_view label, std::uint64_t sort_index) {
    const std::string text = digits(pid);
    metadata("process_name", text, 0, "\"name\": \"python3\"");
    metadata("process_labels", text, 0, fmt::format("\"labels\": \"{}\"", label));
    metadata("process_sort_index", text, 0, fmt::format("\"sort_index\": {}", sort_index));
  };
  process(pid_, "CPU", pid_);
  for (std::uint32_t gpu = 0; gpu < kListedGpus; ++gpu) {
    process(gpu, fmt::format("GPU {}", gpu), 5'000'000 + gpu);
  }
}

void KinetoEmitter::thread_metadata() {
  const auto thread = [this](std::uint64_t pid, std::uint64_t tid, std::string_view name) {
    const std::string text = digits(pid);
    metadata("thread_name", text, tid, fmt::format("\"name\": \"{}\"", name));
    metadata("thread_sort_index", text, tid, fmt::format("\"sort_index\": {}", tid));
  };
  for (std::uint32_t device = 0; device < options_.devices; ++device) {
    for (std::uint32_t stream = 0; stream < options_.streams; ++stream) {
      const std::uint32_t id = stream_id(stream);
      thread(device, id, fmt::format("stream {} ", id));
    }
  }
  for (std::uint32_t device = 0; device < options_.devices; ++device) {
    const std::uint32_t tid = thread_id(options_, device);
    thread(pid_, tid, fmt::format("thread {} (python3)", tid));
  }
}

void KinetoEmitter::closing_events() {
  const std::int64_t end_ns = truth_.last_ns() + kSpanTailNs;
  open_event();
  put("\"ph\": \"X\", \"cat\": \"Trace\"");
  put_complete(Category::kTrace, -kSpanLeadNs, end_ns);
  put(",\n    \"pid\": \"Spans\", \"tid\": \"PyTorch Profiler\",\n"
      "    \"name\": \"PyTorch Profiler (0)\",\n    \"args\": {\n      \"Op count\": 0\n    }");
  close_event();
  metadata("process_sort_index", "\"Spans\"", 0, "\"sort_index\": 536870912");

  truth_.add_instant();
  open_event();
  put("\"name\": \"Iteration Start: PyTorch Profiler\", \"ph\": \"i\", \"s\": \"g\",\n"
      "    \"pid\": \"Traces\", \"tid\": \"Trace PyTorch Profiler\", \"ts\": ");
  sink_.append_us(base_ns_ - kSpanLeadNs);
  close_event();

  truth_.add_instant();
  open_event();
  put("\"name\": \"Record Window End\", \"ph\": \"i\", \"s\": \"g\",\n"
      "    \"pid\": \"\", \"tid\": \"\", \"ts\": ");
  sink_.append_us(base_ns_ + truth_.last_ns() + kWindowTailNs);
  close_event();
}

}  // namespace lockstep::tracegen
