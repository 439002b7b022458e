// Column names of the tables that state a core or a wait, and how their values are written.
#include "analysis/anomalies/file_facts.h"

#include <algorithm>
#include <span>

namespace lockstep {
namespace {

// kernel_details.csv, trace_view.json and op_summary, the databases, task_time.
constexpr std::array<std::string_view, 4> kTypeKeys = {"Accelerator Core", "Task Type", "task type",
                                                       "kernel_type"};
// kernel_details.csv, op_summary.
constexpr std::array<std::string_view, 2> kWaitKeys = {"Wait Time(us)", "Task Wait Time(us)"};

// Task types are written in capitals. Categories of other formats ("kernel") are our own kinds.
bool is_task_type(std::string_view text) {
  const auto is_one = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !text.empty() && std::ranges::all_of(text, is_one);
}

template <std::size_t N, std::size_t M>
void look_up(const StringPool& strings, const std::array<std::string_view, N>& names,
             std::array<std::optional<StringId>, M>& keys) {
  static_assert(N <= M);
  for (std::size_t i = 0; i < N; ++i) keys[i] = strings.find(names[i]);
}

// Microseconds to picoseconds. Readers keep decimals as text, so that none is lost.
std::optional<WideTime> microseconds(const Trace& trace, const Argument& value) {
  switch (value.type) {
    case Argument::Type::kInteger:
      return static_cast<WideTime>(value.as_integer()) * kPicosecondsPerMicrosecond;
    case Argument::Type::kReal:
      return static_cast<WideTime>(value.as_real() *
                                   static_cast<double>(kPicosecondsPerMicrosecond));
    case Argument::Type::kString:
    case Argument::Type::kJson:
      return parse_decimal(trace.text(value.as_string()), kMicrosecondsToPicoseconds);
    case Argument::Type::kBoolean:
      break;
  }
  return std::nullopt;
}

}  // namespace

FileFacts::FileFacts(const Trace& trace) : trace_(trace) {
  if (trace.arguments.empty()) return;
  look_up(trace.strings, kTypeKeys, type_keys_);
  look_up(trace.strings, kWaitKeys, wait_keys_);
}

const Argument* FileFacts::find(EventId event, const Keys& keys) const {
  const std::span<const Argument> arguments = trace_.arguments.of(event);
  for (const std::optional<StringId>& key : keys) {
    if (!key) continue;
    const auto found = std::ranges::find(arguments, *key, &Argument::key);
    if (found != arguments.end()) return &*found;
  }
  return nullptr;
}

std::string_view FileFacts::task_type(EventId event) const {
  const std::string_view category = trace_.text(trace_.events.category[index_of(event)]);
  if (is_task_type(category)) return category;
  const Argument* value = find(event, type_keys_);
  if (value == nullptr || value->type != Argument::Type::kString) return {};
  const std::string_view text = trace_.text(value->as_string());
  return is_task_type(text) ? text : std::string_view();
}

std::optional<WideTime> FileFacts::exported_wait(EventId event) const {
  const Argument* value = find(event, wait_keys_);
  return value == nullptr ? std::nullopt : microseconds(trace_, *value);
}

}  // namespace lockstep
