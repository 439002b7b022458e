// What the planes and lines of an XSpace are, by their names: the one table of this format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/kind.h"

namespace lockstep::formats::xspace {

enum class PlaneSort : std::uint8_t {
  kGpu,          // work stands on its stream lines; all other lines are derived from them
  kTpu,          // work is what nests deepest on its lines of operations
  kHost,         // threads
  kEnvironment,  // when the profile started
  kFacts,        // programs and tables: no lines that we use
  kRank,         // what lockstep wrote about a rank
};
[[nodiscard]] PlaneSort sort_of_plane(std::string_view name);
// Why a plane of facts is not used; for people.
[[nodiscard]] std::string_view why_unused(std::string_view plane);

// "3" of "/device:GPU:3", "0 SparseCore 1" of "/device:TPU:0 SparseCore 1".
[[nodiscard]] std::string_view device_id_of(std::string_view plane);

enum class LineSort : std::uint8_t {
  kStream,      // device work
  kOperations,  // device work where it contains nothing; else annotations
  kDerived,     // annotations
  kCounters,
  kThread,
};
[[nodiscard]] LineSort sort_of_line(PlaneSort plane, std::string_view line);

// "14" of "Stream #14(Compute)"; the whole name of any other line.
[[nodiscard]] std::string_view stream_id_of(std::string_view line);
// The kind of all events of a stream line, where its bracket names one sort of work only; else
// kernel.
[[nodiscard]] trace::Kind kind_of_stream(std::string_view line);

// The kind of an event by its name. `fallback` is what it is when its name says nothing.
[[nodiscard]] trace::Kind kind_of_stream_event(std::string_view name, trace::Kind fallback);
[[nodiscard]] trace::Kind kind_of_host_event(std::string_view name);

}  // namespace lockstep::formats::xspace
