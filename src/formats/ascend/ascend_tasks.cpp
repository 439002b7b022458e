// The table of task types; second records become duplicates.
#include "formats/ascend/ascend_tasks.h"

#include <algorithm>
#include <array>
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
// have one spelling, databases another.
constexpr std::array kTypes = {
    TaskType{"AI_CORE", trace::Kind::kKernel},
    TaskType{"AI_VECTOR_CORE", trace::Kind::kKernel},
    TaskType{"MIX_AIC", trace::Kind::kKernel},
    TaskType{"MIX_AIV", trace::Kind::kKernel},
    TaskType{"KERNEL_AICORE", trace::Kind::kKernel},
    TaskType{"KERNEL_AIVEC", trace::Kind::kKernel},
    TaskType{"KERNEL_MIX_AIC", trace::Kind::kKernel},
    TaskType{"KERNEL_MIX_AIV", trace::Kind::kKernel},
    TaskType{"DSA_SQE", trace::Kind::kKernel},  // random numbers
    TaskType{"DSA", trace::Kind::kKernel},
    TaskType{"STARS_COMMON", trace::Kind::kKernel},  // the same, as databases write it
    TaskType{"DVPP", trace::Kind::kKernel},
    TaskType{"AI_CPU", trace::Kind::kAiCpu},
    TaskType{"AICPU", trace::Kind::kAiCpu},
    TaskType{"KERNEL_AICPU", trace::Kind::kAiCpu},
    TaskType{"KERNEL_AI_CPU", trace::Kind::kAiCpu},
    TaskType{"HCCL_AI_CPU", trace::Kind::kAiCpu},
    TaskType{"HCCL", trace::Kind::kCommunication},
    TaskType{"COMMUNICATION", trace::Kind::kCommunication},
    TaskType{"MEMCPY_ASYNC", trace::Kind::kMemcpy},
    TaskType{"PCIE_DMA_SQE", trace::Kind::kMemcpy},
    TaskType{"SDMA_SQE", trace::Kind::kMemcpy},
    TaskType{"MEMSET_ASYNC", trace::Kind::kMemset},  // by analogy; not seen in a real file yet
    // Parts of a collective, which has a record of its own: never busy.
    TaskType{"SDMA", trace::Kind::kAnnotation},
    TaskType{"Write Value", trace::Kind::kAnnotation},
    TaskType{"WRITE_VALUE_SQE", trace::Kind::kAnnotation},
    // Waiting, and telling others to go on: never busy.
    TaskType{"EVENT_WAIT", trace::Kind::kEventWait},
    TaskType{"EVENT_WAIT_SQE", trace::Kind::kEventWait},
    TaskType{"EVENT_RECORD", trace::Kind::kEventRecord},
    TaskType{"EVENT_RECORD_SQE", trace::Kind::kEventRecord},
    TaskType{"NOTIFY_WAIT", trace::Kind::kEventWait},
    TaskType{"NOTIFY_WAIT_SQE", trace::Kind::kEventWait},
    TaskType{"NOTIFY_RECORD", trace::Kind::kEventRecord},
    TaskType{"NOTIFY_RECORD_SQE", trace::Kind::kEventRecord},
    TaskType{"NOTIFY", trace::Kind::kEventWait},
    TaskType{"Notify Wait", trace::Kind::kEventWait},
    TaskType{"Notify Record", trace::Kind::kEventRecord},
    // The profiler itself.
    TaskType{"PROFILING_ENABLE", trace::Kind::kOverhead},
    TaskType{"PROFILING_DISABLE", trace::Kind::kOverhead},
    TaskType{"PROFILER_TRACE_EX", trace::Kind::kOverhead},
};

constexpr std::array kNames = {
    TaskType{"MEMCPY_ASYNC", trace::Kind::kMemcpy},
    TaskType{"MEMSET_ASYNC", trace::Kind::kMemset},
    TaskType{"EVENT_WAIT", trace::Kind::kEventWait},
    TaskType{"EVENT_RECORD", trace::Kind::kEventRecord},
    TaskType{"NOTIFY_WAIT", trace::Kind::kEventWait},
    TaskType{"NOTIFY_RECORD", trace::Kind::kEventRecord},
    TaskType{"Notify Wait", trace::Kind::kEventWait},
    TaskType{"Notify Record", trace::Kind::kEventRecord},
    TaskType{"Write Value", trace::Kind::kAnnotation},
    TaskType{"PLACE_HOLDER_SQE", trace::Kind::kOverhead},
    TaskType{"PROFILING_ENABLE", trace::Kind::kOverhead},
    TaskType{"PROFILING_DISABLE", trace::Kind::kOverhead},
};

// Types that say nothing.
constexpr std::array<std::string_view, 7> kSilentTypes = {"",        "Other",   "OTHER", "N/A",
                                                          "Unknown", "UNKNOWN", "NA"};

// For types of profilers that are newer than the table. What waits is looked for first: there are
// waits of every engine.
constexpr std::array kTypeParts = {
    TaskType{"WAIT", trace::Kind::kEventWait},   TaskType{"RECORD", trace::Kind::kEventRecord},
    TaskType{"NOTIFY", trace::Kind::kEventWait}, TaskType{"MEMCPY", trace::Kind::kMemcpy},
    TaskType{"MEMSET", trace::Kind::kMemset},    TaskType{"AI_CPU", trace::Kind::kAiCpu},
    TaskType{"AICPU", trace::Kind::kAiCpu},      TaskType{"AI_CORE", trace::Kind::kKernel},
    TaskType{"AICORE", trace::Kind::kKernel},    TaskType{"AI_VECTOR", trace::Kind::kKernel},
    TaskType{"AIVEC", trace::Kind::kKernel},     TaskType{"MIX_AI", trace::Kind::kKernel},
};

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

std::optional<trace::Kind> ascend_task_kind(std::string_view type, std::string_view name) {
  const auto row = std::ranges::find(kTypes, type, &TaskType::word);
  if (row != kTypes.end()) return row->kind;
  const auto named = std::ranges::find(kNames, name, &TaskType::word);
  if (named != kNames.end()) return named->kind;
  if (type == "PLACE_HOLDER_SQE") return trace::Kind::kOverhead;
  return std::nullopt;
}

trace::Kind hardware_task_kind(std::string_view type, std::string_view name) {
  if (const auto known = ascend_task_kind(type, name)) return *known;
  if (std::ranges::find(kSilentTypes, type) != kSilentTypes.end()) return trace::Kind::kKernel;
  const std::string letters = in_small_letters(type);
  const auto part = std::ranges::find_if(kTypeParts, [&](const TaskType& one) {
    return letters.contains(in_small_letters(one.word));
  });
  return part == kTypeParts.end() ? trace::Kind::kAnnotation : part->kind;
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
