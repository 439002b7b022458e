// The table of task types; second records become duplicates.
#include "formats/ascend/ascend_tasks.h"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/letters.h"
#include "formats/ascend/ascend_names.h"
#include "trace/collective_names.h"

namespace lockstep::formats::ascend {

namespace {

struct TaskType {
  std::string_view word;
  trace::Kind kind;
};

// Types come first: a name such as MEMCPY_ASYNC may stand beside any of them. Timelines and tables
// have one spelling, databases another; words are compared as plain_word writes them. Those of
// streams are the types of msprof's STARS_SQE_TYPE_TABLE.
constexpr std::array kTypes = {
    TaskType{"ai_core", trace::Kind::kKernel},
    TaskType{"ai_vector_core", trace::Kind::kKernel},
    TaskType{"aiv_sqe", trace::Kind::kKernel},  // the same, as streams have it
    TaskType{"c_core_sqe", trace::Kind::kKernel},
    TaskType{"mix_aic", trace::Kind::kKernel},
    TaskType{"mix_aiv", trace::Kind::kKernel},
    TaskType{"kernel_aicore", trace::Kind::kKernel},
    TaskType{"kernel_aivec", trace::Kind::kKernel},
    TaskType{"kernel_mix_aic", trace::Kind::kKernel},
    TaskType{"kernel_mix_aiv", trace::Kind::kKernel},
    TaskType{"dsa_sqe", trace::Kind::kKernel},  // random numbers
    TaskType{"dsa", trace::Kind::kKernel},
    TaskType{"stars_common", trace::Kind::kKernel},  // the same, as databases write it
    // Pictures and films, and what else has an engine of its own.
    TaskType{"dvpp", trace::Kind::kKernel},
    TaskType{"vpc_sqe", trace::Kind::kKernel},
    TaskType{"jpege_sqe", trace::Kind::kKernel},
    TaskType{"jpegd_sqe", trace::Kind::kKernel},
    TaskType{"vq6_sqe", trace::Kind::kKernel},
    TaskType{"rocce_sqe", trace::Kind::kKernel},
    TaskType{"ai_cpu", trace::Kind::kAiCpu},
    TaskType{"aicpu", trace::Kind::kAiCpu},
    TaskType{"kernel_aicpu", trace::Kind::kAiCpu},
    TaskType{"kernel_ai_cpu", trace::Kind::kAiCpu},
    TaskType{"hccl_ai_cpu", trace::Kind::kAiCpu},
    TaskType{"hccl", trace::Kind::kCommunication},
    TaskType{"communication", trace::Kind::kCommunication},
    TaskType{"memcpy_async", trace::Kind::kMemcpy},
    TaskType{"pcie_dma_sqe", trace::Kind::kMemcpy},
    TaskType{"sdma_sqe", trace::Kind::kMemcpy},
    TaskType{"memset_async", trace::Kind::kMemset},  // by analogy; not seen in a real file yet
    // Parts of a collective, which has a record of its own: never busy.
    TaskType{"sdma", trace::Kind::kAnnotation},
    TaskType{"write_value", trace::Kind::kAnnotation},
    TaskType{"write_value_sqe", trace::Kind::kAnnotation},
    // Waiting, and telling others to go on: never busy.
    TaskType{"event_wait", trace::Kind::kEventWait},
    TaskType{"event_wait_sqe", trace::Kind::kEventWait},
    TaskType{"event_record", trace::Kind::kEventRecord},
    TaskType{"event_record_sqe", trace::Kind::kEventRecord},
    TaskType{"notify_wait", trace::Kind::kEventWait},
    TaskType{"notify_wait_sqe", trace::Kind::kEventWait},
    TaskType{"notify_record", trace::Kind::kEventRecord},
    TaskType{"notify_record_sqe", trace::Kind::kEventRecord},
    TaskType{"notify", trace::Kind::kEventWait},
    // The profiler itself.
    TaskType{"profiling_enable", trace::Kind::kOverhead},
    TaskType{"profiling_disable", trace::Kind::kOverhead},
    TaskType{"profiler_trace_ex", trace::Kind::kOverhead},
};

// Names that say more than most types.
constexpr std::array kNames = {
    TaskType{"sdma", trace::Kind::kMemcpy},  // as a type it is that of a part
    TaskType{"write_value", trace::Kind::kAnnotation},
    TaskType{"place_holder_sqe", trace::Kind::kOverhead},
    TaskType{"profiling_enable", trace::Kind::kOverhead},
    TaskType{"profiling_disable", trace::Kind::kOverhead},
};

// A name that has only such words, and one of the first: of several the first here decides. What
// else stands in a name makes it that of a kernel.
constexpr std::array kTaskWords = {
    TaskType{"wait", trace::Kind::kEventWait},    TaskType{"record", trace::Kind::kEventRecord},
    TaskType{"reset", trace::Kind::kEventRecord}, TaskType{"memcpy", trace::Kind::kMemcpy},
    TaskType{"memset", trace::Kind::kMemset},
};
constexpr std::array<std::string_view, 9> kWordsBeside = {
    "async", "event", "notify", "stream", "sqe", "task", "h2d", "d2h", "d2d"};
// Longer names are those of kernels, and need no look at their words.
constexpr std::size_t kMaxTaskName = 40;

// Types that say nothing; those without any letter do so, too.
constexpr std::array<std::string_view, 7> kSilentTypes = {"other", "others", "n/a",    "na",
                                                          "none",  "null",   "unknown"};

// For types of profilers that are newer than the table. What waits is looked for first: there are
// waits of every engine.
constexpr std::array kTypeParts = {
    TaskType{"wait", trace::Kind::kEventWait},   TaskType{"record", trace::Kind::kEventRecord},
    TaskType{"notify", trace::Kind::kEventWait}, TaskType{"memcpy", trace::Kind::kMemcpy},
    TaskType{"memset", trace::Kind::kMemset},    TaskType{"ai_cpu", trace::Kind::kAiCpu},
    TaskType{"aicpu", trace::Kind::kAiCpu},      TaskType{"ai_core", trace::Kind::kKernel},
    TaskType{"aicore", trace::Kind::kKernel},    TaskType{"vector", trace::Kind::kKernel},
    TaskType{"aiv", trace::Kind::kKernel},       TaskType{"cube", trace::Kind::kKernel},
    TaskType{"mix_ai", trace::Kind::kKernel},    TaskType{"kernel", trace::Kind::kKernel},
};

std::string_view without_blanks_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// "Notify Wait" as "notify_wait", with no blanks around it.
std::string plain_word(std::string_view text) {
  std::string word = in_small_letters(without_blanks_around(text));
  std::ranges::replace(word, ' ', '_');
  return word;
}

// The same without making a word of it: every row of a table asks.
bool is_plainly(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, [](char is, char wanted) {
    return is == wanted || (is == ' ' && wanted == '_') ||
           (is >= 'A' && is <= 'Z' && is - 'A' + 'a' == wanted);
  });
}

std::optional<trace::Kind> kind_in(std::span<const TaskType> table, std::string_view word) {
  const auto row = std::ranges::find(table, word, &TaskType::word);
  return row == table.end() ? std::nullopt : std::optional(row->kind);
}

bool is_silent(std::string_view plain_type) {
  return std::ranges::none_of(plain_type, is_letter) ||
         std::ranges::find(kSilentTypes, plain_type) != kSilentTypes.end();
}

// "event_wait_sqe", "memcpy"; but not "matmul_wait".
std::optional<trace::Kind> kind_by_words(std::string_view plain_name) {
  const TaskType* decides = nullptr;
  for (const auto part : std::views::split(plain_name, '_')) {
    const std::string_view word(part.begin(), part.end());
    const auto* const row = std::ranges::find(kTaskWords, word, &TaskType::word);
    if (row != kTaskWords.end()) {
      if (decides == nullptr || row < decides) decides = row;
    } else if (!word.empty() && std::ranges::find(kWordsBeside, word) == kWordsBeside.end()) {
      return std::nullopt;
    }
  }
  return decides == nullptr ? std::nullopt : std::optional(decides->kind);
}

std::optional<trace::Kind> kind_of_name(std::string_view name, bool is_type_silent) {
  if (name.size() > kMaxTaskName) return std::nullopt;
  const std::string plain = plain_word(name);
  if (const auto known = kind_in(kNames, plain)) return known;
  if (const auto known = kind_by_words(plain)) return known;
  // A slice without a type may have it for a name.
  return is_type_silent ? kind_in(kTypes, plain) : std::nullopt;
}

// Looks at the rank's own entries only, which are the last: the others belong to ranks that are
// done.
void make_collectives_agree(trace::Trace& trace, std::size_t first_row) {
  const trace::EventTable& events = trace.events;
  const auto row_of = [](const trace::Collective& c) { return trace::index_of(c.event); };
  auto own = std::ranges::lower_bound(trace.collectives, first_row, {}, row_of);
  const auto first = own - trace.collectives.begin();
  const auto gone = std::remove_if(own, trace.collectives.end(), [&](const trace::Collective& c) {
    return events.kind[row_of(c)] != trace::Kind::kCommunication;
  });
  trace.collectives.erase(gone, trace.collectives.end());
  std::vector<bool> known(events.size() - first_row);
  own = trace.collectives.begin() + first;
  for (auto it = own; it != trace.collectives.end(); ++it) known[row_of(*it) - first_row] = true;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    const bool is_new = events.kind[i] == trace::Kind::kCommunication && !known[i - first_row] &&
                        events.shape[i] == trace::Shape::kSpan && trace.on_device(i);
    if (!is_new) continue;
    trace::Collective& made = trace.collectives.emplace_back();
    made.event = trace::EventId{static_cast<std::uint32_t>(i)};
    made.op = trace.strings.intern(trace::collective_op(trace.text(events.name[i])));
  }
  own = trace.collectives.begin() + first;
  if (!std::ranges::is_sorted(own, trace.collectives.end(), {}, row_of)) {
    std::ranges::sort(own, trace.collectives.end(), {}, row_of);
  }
  for (auto it = own; it != trace.collectives.end(); ++it) {
    if (!it->sequence) it->sequence = collective_sequence(trace.text(events.name[row_of(*it)]));
  }
}

}  // namespace

const DiagnosticKind kUnknownTaskType{
    "unknown_task_type", Severity::kInfo,
    "The type of a task on a device is none that is known; it counts as no work of the device."};

std::optional<trace::Kind> ascend_task_kind(std::string_view type, std::string_view name) {
  const std::string_view trimmed = without_blanks_around(type);
  for (const TaskType& known : kTypes) {
    if (is_plainly(trimmed, known.word)) return known.kind;
  }
  const std::string plain = plain_word(type);
  const bool says_nothing = is_silent(plain);
  if (const auto known = kind_of_name(name, says_nothing)) return known;
  if (plain == "place_holder_sqe") return trace::Kind::kOverhead;
  if (says_nothing) return std::nullopt;
  const auto part = std::ranges::find_if(
      kTypeParts, [&](const TaskType& one) { return plain.contains(one.word); });
  return part == kTypeParts.end() ? std::nullopt : std::optional(part->kind);
}

HardwareTask hardware_task(std::string_view type, std::string_view name) {
  if (const auto known = ascend_task_kind(type, name)) return {*known};
  if (is_silent(plain_word(type))) return {trace::Kind::kKernel};
  return {trace::Kind::kAnnotation, true};
}

std::size_t settle_second_records(trace::Trace& trace, std::size_t first_row) {
  trace::EventTable& events = trace.events;
  std::vector<std::int8_t> may_be(trace.strings.size(), -1);  // by StringId; -1: not looked at yet
  const auto is_candidate = [&](std::size_t row) {
    std::int8_t& known = may_be[static_cast<std::size_t>(events.name[row])];
    if (known < 0) known = names_collective_kernel(trace.text(events.name[row])) ? 1 : 0;
    return known == 1;
  };
  std::unordered_map<std::size_t, CollectiveWindows> windows;  // by device, of these rows only
  std::vector<std::uint32_t> candidates;
  for (std::size_t i = first_row; i < events.size(); ++i) {
    const bool counts =
        trace::is_kernel(events.kind[i]) || events.kind[i] == trace::Kind::kDuplicate;
    if (!counts || events.shape[i] != trace::Shape::kSpan || !trace.on_device(i)) continue;
    if (is_candidate(i)) {
      candidates.push_back(static_cast<std::uint32_t>(i));
    } else if (events.kind[i] == trace::Kind::kCommunication) {
      windows[trace::index_of(trace.track_of(i).device)].add(events.start[i].ps, events.end(i).ps);
    }
  }
  for (auto& [device, of_device] : windows) of_device.seal();
  std::size_t found = 0;
  for (const std::uint32_t row : candidates) {
    const CollectiveWindows& device = windows[trace::index_of(trace.track_of(row).device)];
    const bool is_second = device.overlap(events.start[row].ps, events.end(row).ps);
    if (is_second && events.kind[row] != trace::Kind::kDuplicate) ++found;
    events.kind[row] = is_second ? trace::Kind::kDuplicate : trace::Kind::kCommunication;
  }
  make_collectives_agree(trace, first_row);
  return found;
}

}  // namespace lockstep::formats::ascend
