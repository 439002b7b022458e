// Tables of the names of planes, lines and events.
#include "formats/xspace/read/plane_names.h"

#include <algorithm>
#include <array>

#include "formats/xspace/xspace_fields.h"

namespace lockstep::formats::xspace {
namespace {

struct PlaneRow {
  std::string_view prefix;
  PlaneSort sort;
  std::string_view why_unused;
};

// First match wins.
constexpr std::array kKnownPlanes = {
    PlaneRow{"/device:GPU:", PlaneSort::kGpu, {}},
    PlaneRow{"/device:TPU:", PlaneSort::kTpu, {}},
    PlaneRow{"/device:CUSTOM:", PlaneSort::kHost, {}},
    PlaneRow{"/device:CPU:", PlaneSort::kHost, {}},
    PlaneRow{"/device:", PlaneSort::kGpu, {}},
    PlaneRow{"/host:metadata", PlaneSort::kFacts, "compiled programs"},
    PlaneRow{"/host:__ScopeRangeCallStack__", PlaneSort::kFacts, "tree of scopes"},
    PlaneRow{"/host:tfstreamz", PlaneSort::kFacts, "counters of the runtime"},
    PlaneRow{"/host:", PlaneSort::kHost, {}},
    PlaneRow{kTaskEnvironment, PlaneSort::kEnvironment, {}},
    PlaneRow{kRankPlanePrefix, PlaneSort::kRank, {}},
};

constexpr std::string_view kStreamPrefix = "Stream #";

struct StreamWord {
  std::string_view word;
  trace::Kind kind;
};

// The words in the bracket of a stream line, and how names of events on it begin.
constexpr std::array kStreamWords = {
    StreamWord{"Memcpy", trace::Kind::kMemcpy},
    StreamWord{"Memset", trace::Kind::kMemset},
    StreamWord{"MemoryAlloc", trace::Kind::kAnnotation},
    StreamWord{"MemoryFree", trace::Kind::kAnnotation},
    StreamWord{"MemoryResidency", trace::Kind::kAnnotation},
    StreamWord{"UnifiedMemory", trace::Kind::kAnnotation},
    StreamWord{"Overhead", trace::Kind::kOverhead},
};

// How calls of the runtimes begin: the letter after it is a capital.
constexpr std::array<std::string_view, 4> kCallPrefixes = {"cuda", "cu", "hip", "hsa_"};

constexpr std::array<std::string_view, 4> kOverheads = {"BUFFER_FLUSH", "DRIVER_COMPILER",
                                                        "INSTRUMENTATION", "RESOURCE"};

bool is_call(std::string_view name) {
  return std::ranges::any_of(kCallPrefixes, [&](std::string_view prefix) {
    if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
    const char next = name[prefix.size()];
    return prefix.ends_with('_') || (next >= 'A' && next <= 'Z');
  });
}

}  // namespace

PlaneSort sort_of_plane(std::string_view name) {
  for (const PlaneRow& row : kKnownPlanes) {
    if (name.starts_with(row.prefix)) return row.sort;
  }
  return PlaneSort::kHost;
}

std::string_view why_unused(std::string_view plane) {
  for (const PlaneRow& row : kKnownPlanes) {
    if (plane.starts_with(row.prefix)) return row.why_unused;
  }
  return {};
}

std::string_view device_id_of(std::string_view plane) {
  constexpr std::string_view kPrefix = "/device:";
  if (!plane.starts_with(kPrefix)) return plane;
  const std::string_view rest = plane.substr(kPrefix.size());
  const std::size_t colon = rest.find(':');
  if (colon == std::string_view::npos || colon + 1 == rest.size()) return rest;
  return rest.substr(colon + 1);
}

LineSort sort_of_line(PlaneSort plane, std::string_view line) {
  if (line == "_counters_" || line.starts_with("counters_")) return LineSort::kCounters;
  switch (plane) {
    case PlaneSort::kGpu:
      return line.starts_with(kStreamPrefix) ? LineSort::kStream : LineSort::kDerived;
    case PlaneSort::kTpu:
      if (line == "XLA Ops" || line == "Sparse Core Ops") return LineSort::kOperations;
      return line.starts_with(kStreamPrefix) ? LineSort::kStream : LineSort::kDerived;
    default:
      return LineSort::kThread;
  }
}

std::string_view stream_id_of(std::string_view line) {
  if (!line.starts_with(kStreamPrefix)) return line;
  const std::string_view rest = line.substr(kStreamPrefix.size());
  return rest.substr(0, rest.rfind('('));
}

trace::Kind kind_of_stream(std::string_view line) {
  const std::size_t open = line.rfind('(');
  if (open == std::string_view::npos) return trace::Kind::kKernel;
  std::string_view words = line.substr(open + 1);
  words = words.substr(0, words.rfind(')'));
  if (words.find(',') != std::string_view::npos) return trace::Kind::kKernel;
  return kind_of_stream_event(words, trace::Kind::kKernel);
}

trace::Kind kind_of_stream_event(std::string_view name, trace::Kind fallback) {
  for (const StreamWord& row : kStreamWords) {
    if (name.starts_with(row.word)) return row.kind;
  }
  return fallback;
}

trace::Kind kind_of_host_event(std::string_view name) {
  // The Python tracer of JAX and TensorFlow marks its functions: "$core.py:1713 bind".
  if (name.starts_with('$')) return trace::Kind::kPython;
  if (std::ranges::find(kOverheads, name) != kOverheads.end()) return trace::Kind::kOverhead;
  return is_call(name) ? trace::Kind::kRuntimeCall : trace::Kind::kHostOp;
}

}  // namespace lockstep::formats::xspace
