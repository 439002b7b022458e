// Names of kinds.
#include "trace/kind.h"

#include <algorithm>

namespace lockstep::trace {

namespace {

constexpr std::array<std::string_view, kKindCount> kNames = {
    "kernel",     "memcpy",       "memset",   "communication", "ai_cpu",
    "event_wait", "event_record", "host_op",  "runtime_call",  "synchronize",
    "annotation", "python",       "overhead", "counter",       "duplicate"};

}  // namespace

std::string_view name_of(Kind kind) { return kNames[static_cast<std::size_t>(kind)]; }

std::optional<Kind> kind_named(std::string_view name) {
  const auto known = std::ranges::find(kNames, name);
  if (known == kNames.end()) return std::nullopt;
  return static_cast<Kind>(known - kNames.begin());
}

}  // namespace lockstep::trace
