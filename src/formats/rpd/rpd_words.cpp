// The tables of RPD's words.
#include "formats/rpd/rpd_words.h"

#include <algorithm>
#include <array>

namespace lockstep::formats::rpd {
namespace {

struct Word {
  std::string_view prefix;
  trace::Kind kind;
};

// The first prefix that fits counts.
constexpr std::array<Word, 8> kOperations = {{
    {"KernelExecution", trace::Kind::kKernel},
    {"Kernel", trace::Kind::kKernel},
    {"Copy", trace::Kind::kMemcpy},
    {"Memcpy", trace::Kind::kMemcpy},
    {"Fill", trace::Kind::kMemset},
    {"Memset", trace::Kind::kMemset},
    {"Barrier", trace::Kind::kEventWait},
    {"Marker", trace::Kind::kEventWait},
}};

// What the profiler does while it writes its own rows.
constexpr std::array<std::string_view, 3> kOverheadParts = {"::writeRows", "hcc_activity_callback",
                                                            "rpd_"};

constexpr std::array<std::string_view, 3> kWorkItemCalls = {
    "hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel", "hipExtLaunchKernel"};

}  // namespace

trace::Kind kind_of_operation(std::string_view type, bool has_description) {
  if (type == "Task" && has_description) return trace::Kind::kKernel;
  for (const Word& word : kOperations) {
    if (type.starts_with(word.prefix)) return word.kind;
  }
  return trace::Kind::kAnnotation;
}

trace::Kind kind_of_call(std::string_view name) {
  if (name == "UserMarker") return trace::Kind::kAnnotation;
  const bool is_overhead = std::ranges::any_of(kOverheadParts, [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
  return is_overhead ? trace::Kind::kOverhead : trace::Kind::kRuntimeCall;
}

bool counts_work_items(std::string_view call) {
  return std::ranges::find(kWorkItemCalls, call) != kWorkItemCalls.end();
}

}  // namespace lockstep::formats::rpd
