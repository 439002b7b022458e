// The table of keys, and looking for them.
#include "trace/evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

namespace lockstep::trace {
namespace {

struct KeyMeaning {
  std::string_view key;
  ArgumentRole what;
};

constexpr std::array kMeanings = {
    KeyMeaning{kOperatorShapesKey, ArgumentRole::kShapes},
    KeyMeaning{"Input Shapes", ArgumentRole::kShapes},  // kernel_details.csv, op_summary
    KeyMeaning{"input shapes", ArgumentRole::kShapes},  // COMPUTE_TASK_INFO
    KeyMeaning{"Wait Time(us)", ArgumentRole::kExportedWait},
    KeyMeaning{"Task Wait Time(us)", ArgumentRole::kExportedWait},  // op_summary
    KeyMeaning{"Accelerator Core", ArgumentRole::kTaskType},
    KeyMeaning{"Core Type", ArgumentRole::kTaskType},
    KeyMeaning{"Task Type", ArgumentRole::kTaskType},
    KeyMeaning{"task type", ArgumentRole::kTaskType},    // of databases
    KeyMeaning{"kernel_type", ArgumentRole::kTaskType},  // task_time
};

constexpr std::int64_t kLongestWaitPs = 1'000'000'000'000'000'000;  // beyond any capture

bool is_text_argument(const Argument& argument) {
  return argument.type == Argument::Type::kString || argument.type == Argument::Type::kJson;
}

}  // namespace

ArgumentRole role_of_argument(std::string_view key) {
  const auto* const found = std::ranges::find(kMeanings, key, &KeyMeaning::key);
  return found == kMeanings.end() ? ArgumentRole::kNone : found->what;
}

EvidenceReader::EvidenceReader(const Trace& trace) : trace_(trace) {
  if (trace.arguments.empty()) return;
  for (const KeyMeaning& meaning : kMeanings) {
    if (const auto key = trace.strings.find(meaning.key)) keys_.push_back({*key, meaning.what});
  }
}

bool EvidenceReader::has(ArgumentRole what) const {
  return std::ranges::find(keys_, what, &Key::what) != keys_.end();
}

const Argument* EvidenceReader::find(EventId event, ArgumentRole what) const {
  if (keys_.empty()) return nullptr;
  for (const Argument& argument : std::views::reverse(trace_.arguments.of(event))) {
    const auto known = std::ranges::find(keys_, argument.key, &Key::key);
    if (known != keys_.end() && known->what == what) return &argument;
  }
  return nullptr;
}

std::optional<std::uint64_t> EvidenceReader::shapes(EventId event) const {
  const Argument* const found = find(event, ArgumentRole::kShapes);
  if (found == nullptr) return std::nullopt;
  // A table may hold a bare number; those are told from ids of texts by the upper half.
  const bool is_text = is_text_argument(*found);
  return is_text ? found->bits : found->bits ^ (std::uint64_t{1} << 63);
}

StringId EvidenceReader::task_type(EventId event) const {
  const Argument* const found = find(event, ArgumentRole::kTaskType);
  return found != nullptr && is_text_argument(*found) ? found->as_string() : kEmptyString;
}

std::optional<Time> EvidenceReader::exported_wait(EventId event) const {
  const Argument* const found = find(event, ArgumentRole::kExportedWait);
  if (found == nullptr) return std::nullopt;
  if (is_text_argument(*found)) {
    const auto exact = parse_decimal(trace_.text(found->as_string()), kMicrosecondsToPicoseconds);
    const bool is_sane = exact && *exact >= 0 && *exact <= kLongestWaitPs;
    return is_sane ? std::optional(Time{static_cast<std::int64_t>(*exact)}) : std::nullopt;
  }
  double us = -1;
  if (found->type == Argument::Type::kReal) us = found->as_real();
  if (found->type == Argument::Type::kInteger) us = static_cast<double>(found->as_integer());
  const double ps = std::round(us * static_cast<double>(kPicosecondsPerMicrosecond));
  if (!(ps >= 0 && ps <= static_cast<double>(kLongestWaitPs))) return std::nullopt;
  return Time{static_cast<std::int64_t>(ps)};
}

}  // namespace lockstep::trace
