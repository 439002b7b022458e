// A row a profiler.
#include "report/anomalies/words/profiler_words.h"

#include <algorithm>
#include <array>

namespace lockstep::report::anomalies {
namespace {

// The first is for formats that any program may write.
constexpr std::array<ProfilerWords, 6> kProfilers = {{
    {"", "annotations named Step#N", "host operators and runtime calls",
     "an option of the profiler", "an option of the profiler"},
    {"kineto", "profiler.step() with a schedule", "activities=[CPU, CUDA] of torch.profiler",
     "record_shapes=True", "with_stack=True"},
    {"ascend", "prof.step() of torch_npu.profiler", "activities=[CPU, NPU] of torch_npu.profiler",
     "record_shapes=True", "with_stack=True"},
    {"nsys", "NVTX ranges named Step#N", "nsys --trace=cuda,nvtx,osrt",
     "NVTX ranges with shapes "
     "(torch.autograd.profiler.emit_nvtx(record_shapes=True))",
     "nsys --python-sampling=true --cudabacktrace=all"},
    {"r", "roctx ranges named Step#N", "rocprofv3 --runtime-trace",
     "record_shapes=True of torch.profiler", "with_stack=True of torch.profiler"},
    {"x", "jax.profiler.StepTraceAnnotation", "host_tracer_level=2 in jax.profiler.ProfileOptions",
     "the HLO dump beside the profile", "python_tracer_level=1 in jax.profiler.ProfileOptions"},
}};

}  // namespace

const ProfilerWords& profiler_words(const trace::Trace& trace) {
  if (trace.ranks.empty()) return kProfilers.front();
  const auto found = std::ranges::find_if(
      kProfilers.begin() + 1, kProfilers.end(), [&](const ProfilerWords& words) {
        return trace.ranks.front().format.starts_with(words.format);
      });
  return found == kProfilers.end() ? kProfilers.front() : *found;
}

Stack stack_of(const trace::Trace& trace) {
  if (trace.ranks.empty()) return Stack::kOther;
  const std::string_view format = trace.ranks.front().format;
  if (format.starts_with("ascend")) return Stack::kAscend;
  if (format.starts_with("x")) return Stack::kXla;
  return format == "kineto" ? Stack::kTorch : Stack::kOther;
}

}  // namespace lockstep::report::anomalies
