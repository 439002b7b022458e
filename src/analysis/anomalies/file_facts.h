// What a file says of a kernel in its own words: the core it ran on, the exporter's wait.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "trace/trace.h"

namespace lockstep {

// Reads arguments where the trace kept them. One for many questions: keys are looked up once.
class FileFacts {
 public:
  explicit FileFacts(const Trace& trace);

  // The task type ("AI_VECTOR_CORE", "HCCL"); empty where the file does not say.
  [[nodiscard]] std::string_view task_type(EventId event) const;
  // The Wait Time of Ascend's tables; nothing where the file has none.
  [[nodiscard]] std::optional<WideTime> exported_wait(EventId event) const;

 private:
  // Most telling first; an exporter writes at most two of them.
  using Keys = std::array<std::optional<StringId>, 4>;
  [[nodiscard]] const Argument* find(EventId event, const Keys& keys) const;

  const Trace& trace_;
  Keys type_keys_;
  Keys wait_keys_;
};

}  // namespace lockstep
