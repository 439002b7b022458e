// Names of kinds.
#include "trace/kind.h"

namespace lockstep {

std::string_view name_of(Kind kind) {
  static constexpr std::array<std::string_view, kKindCount> kNames = {
      "kernel",     "memcpy",   "memset",       "communication", "ai_cpu",
      "event_wait", "host_op",  "runtime_call", "synchronize",   "annotation",
      "python",     "overhead", "counter",      "duplicate"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace lockstep
