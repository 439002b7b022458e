// The lanes of Ascend's timelines (trace_view.json of torch_npu, msprof_*.json): which process is
// hardware, collectives, runtime calls or a repetition, told by its name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "formats/chrome_json/dialects/dialect.h"
#include "formats/chrome_json/parse/event_batch.h"
#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// What the arguments of an event without a category say, where they say it.
struct AscendTask {
  trace::EventId event = trace::kNoEvent;
  StringId task_type{};  // of a hardware task: "AI_CORE"
  StringId data_type{};  // of a collective
  std::optional<std::int64_t> elements;
};

// Collects them, in the order of rows.
class AscendTasks {
 public:
  void note(trace::EventId event, std::span<const RawArgument> arguments, StringPool& strings);

  [[nodiscard]] std::span<const AscendTask> tasks() const { return tasks_; }

 private:
  std::vector<AscendTask> tasks_;
};

[[nodiscard]] const Dialect& ascend_dialect();

}  // namespace lockstep::formats::chrome_json
