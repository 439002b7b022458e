// What is in a trace: counts, spans, exact busy time, devices, steps, annotations, collectives, top
// kernels, and what looks suspicious. `lockstep info` prints it.
//
// Times and sums are exact picoseconds, in 128 bits where many are added; sinks floor them to
// nanoseconds once. Ids and names are text, so that a Summary outlives its Trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "analysis/summary/step_work.h"
#include "base/diagnostics.h"
#include "base/time.h"
#include "trace/kind.h"
#include "trace/trace.h"

namespace lockstep::analysis::summary {

struct SummaryOptions {
  static constexpr std::size_t kAllKernels = std::numeric_limits<std::size_t>::max();
  std::size_t top = 10;  // rows of top_kernels
};

struct StreamSummary {
  std::string id;
  std::string name;
  std::uint64_t kernels = 0;
  WideTime busy = 0;
};

struct DeviceSummary {
  std::string id;
  std::string name;  // empty when the file does not say
  std::uint64_t kernels = 0;
  WideTime busy = 0;  // union over all streams: kernels, copies and sets
  std::vector<StreamSummary> streams;
  WideTime kernel_busy = 0;
  WideTime compute_busy = 0;  // kernels that are no communication
  WideTime communication_busy = 0;
};

struct RankSummary {
  std::optional<std::int64_t> number;
  std::vector<DeviceSummary> devices;
  trace::RankEvidence number_from = trace::RankEvidence::kNone;
  std::string source = {};  // the input
  std::string format = {};
  std::vector<trace::SourcePart> parts = {};
};

struct StepSummary {
  std::string name;
  Time start;  // of the marker, on the host
  Time end;
  StepWork work = {};
};

struct AnnotationSummary {
  std::string name;
  std::uint64_t count = 0;
};

struct CollectiveSummary {
  std::string op;
  std::uint64_t count = 0;
  WideTime total = 0;
};

struct KernelNameSummary {
  std::string name;  // demangled
  std::uint64_t count = 0;
  WideTime total = 0;
  Time min;
  Time max;
};

struct Summary {
  Clock clock = Clock::kUnknown;          // unknown also when the ranks have different ones
  std::optional<std::int64_t> origin_ns;  // nothing when the ranks do not share it
  std::uint64_t events = 0;
  std::array<std::uint64_t, trace::kKindCount> by_kind{};
  std::uint64_t kernels = 0;      // on devices
  std::uint64_t host_events = 0;  // on host threads
  std::uint64_t flows = 0;
  bool is_all_launched = false;    // there is device work, and for all of it the launch is known
  std::uint64_t host_threads = 0;  // with at least one duration of their own
  WideTime span = 0;               // of all durations but the profiler's own (category Trace)
  WideTime device_span = 0;        // of device work
  WideTime device_busy = 0;        // sum of the devices' unions
  std::vector<StepSummary> steps;  // by rank, then start
  std::vector<AnnotationSummary> annotations;  // by count, most first
  std::vector<CollectiveSummary> collectives;  // by total time, longest first
  std::vector<KernelNameSummary> top_kernels;  // by total time, longest first
  std::uint64_t kernel_names = 0;  // how many rows top_kernels would have without a limit
  WideTime kernel_time = 0;        // total over all kernels
  std::vector<RankSummary> ranks;  // by number
  Diagnostics diagnostics;         // of the readers and of the checks in health.h
};

// Its diagnostics alone, for those who show nothing else of it.
[[nodiscard]] Diagnostics check(const trace::Trace& trace);

[[nodiscard]] Summary summarize(const trace::Trace& trace, const SummaryOptions& options = {});

}  // namespace lockstep::analysis::summary
