// The tables of RPD's words.
#include "formats/rpd/rpd_words.h"

#include <algorithm>
#include <array>

namespace lockstep::rpd {
namespace {

struct Word {
  std::string_view prefix;
  Kind kind;
};

// The first prefix that fits counts.
constexpr std::array<Word, 8> kOperations = {{
    {"KernelExecution", Kind::kKernel},
    {"Kernel", Kind::kKernel},
    {"Copy", Kind::kMemcpy},
    {"Memcpy", Kind::kMemcpy},
    {"Fill", Kind::kMemset},
    {"Memset", Kind::kMemset},
    {"Barrier", Kind::kEventWait},
    {"Marker", Kind::kEventWait},
}};

// What the profiler does while it writes its own rows.
constexpr std::array<std::string_view, 3> kOverheadParts = {"::writeRows", "hcc_activity_callback",
                                                            "rpd_"};

constexpr std::array<std::string_view, 3> kWorkItemCalls = {
    "hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel", "hipExtLaunchKernel"};

}  // namespace

Kind kind_of_operation(std::string_view type, bool has_description) {
  if (type == "Task" && has_description) return Kind::kKernel;
  for (const Word& word : kOperations) {
    if (type.starts_with(word.prefix)) return word.kind;
  }
  return Kind::kAnnotation;
}

Kind kind_of_call(std::string_view name) {
  if (name == "UserMarker") return Kind::kAnnotation;
  const bool is_overhead = std::ranges::any_of(kOverheadParts, [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
  return is_overhead ? Kind::kOverhead : Kind::kRuntimeCall;
}

bool counts_work_items(std::string_view call) {
  return std::ranges::find(kWorkItemCalls, call) != kWorkItemCalls.end();
}

}  // namespace lockstep::rpd
