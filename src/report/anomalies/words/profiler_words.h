// How each profiler is asked for more, and whose programs it records.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace lockstep::report::anomalies {

struct ProfilerWords {
  std::string_view format;  // begins so
  std::string_view steps;
  std::string_view host;
  std::string_view shapes;
  std::string_view stacks;
};
// Of the first rank's format.
[[nodiscard]] const ProfilerWords& profiler_words(const trace::Trace& trace);

// What the program was written with, as far as its profiler tells.
enum class Stack : std::uint8_t { kTorch, kAscend, kXla, kOther };
[[nodiscard]] Stack stack_of(const trace::Trace& trace);

}  // namespace lockstep::report::anomalies
