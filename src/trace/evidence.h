// The arguments of events that analyses read, by what they tell. Everything else that a file says
// of an event beyond its name and times is kept only for writing it out again.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace lockstep::trace {

// Which arguments a reader puts into Trace::arguments.
enum class KeepArguments : std::uint8_t {
  kNone,
  kEvidence,  // those that role_of_argument() knows
  kAll,
};

enum class ArgumentRole : std::uint8_t {
  kNone,
  kShapes,        // of the inputs of an operator or kernel, in whatever notation the file has
  kExportedWait,  // what the exporter calls the wait of a kernel, in microseconds
  kTaskType,      // what ran it: "AI_CORE", "AI_VECTOR_CORE", "HCCL"
};

// What PyTorch calls the shapes of an operator, on any device.
inline constexpr std::string_view kOperatorShapesKey = "Input Dims";

// What the argument of that name tells.
[[nodiscard]] ArgumentRole role_of_argument(std::string_view key);

// Finds evidence among the arguments of events.
class EvidenceReader {
 public:
  explicit EvidenceReader(const Trace& trace);

  // A number that stands for the shapes: equal ones have equal numbers, in one trace.
  [[nodiscard]] std::optional<std::uint64_t> shapes(EventId event) const;
  [[nodiscard]] std::optional<Time> exported_wait(EventId event) const;
  // Empty where the file does not say.
  [[nodiscard]] StringId task_type(EventId event) const;
  // False: no event has any, so that nobody need look.
  [[nodiscard]] bool has(ArgumentRole what) const;

 private:
  // The last one: tables are read behind timelines, and know better.
  [[nodiscard]] const Argument* find(EventId event, ArgumentRole what) const;

  struct Key {
    StringId key{};
    ArgumentRole what = ArgumentRole::kNone;
  };
  const Trace& trace_;
  std::vector<Key> keys_;  // that the trace has
};

}  // namespace lockstep::trace
