// The table of names of launching calls.
#include "analysis/summary/launch_calls.h"

#include <array>

namespace lockstep::analysis::summary {
namespace {

struct NamePattern {
  std::string_view part;       // somewhere in the name
  std::string_view then_part;  // and this somewhere after it
  LaunchCall call;
};

// CUDA runtime and driver, HIP, Level Zero, Unified Runtime and ACL name their calls alike. Copies
// and sets count only when asynchronous: a synchronous one may be done by the host alone.
constexpr std::array kPatterns = {
    NamePattern{"GraphLaunch", "", LaunchCall::kGraph},
    NamePattern{"aclmdlRIExecute", "", LaunchCall::kGraph},
    NamePattern{"aclmdlExecute", "", LaunchCall::kGraph},
    NamePattern{"StreamBeginCapture", "", LaunchCall::kCapture},
    NamePattern{"LaunchKernel", "", LaunchCall::kSingle},
    NamePattern{"LaunchCooperativeKernel", "", LaunchCall::kSingle},
    NamePattern{"KernelLaunch", "", LaunchCall::kSingle},
    NamePattern{"Memcpy", "Async", LaunchCall::kSingle},
    NamePattern{"Memset", "Async", LaunchCall::kSingle},
};

}  // namespace

LaunchCall launch_call_named(std::string_view name) {
  for (const NamePattern& pattern : kPatterns) {
    const std::size_t at = name.find(pattern.part);
    if (at == std::string_view::npos) continue;
    if (name.find(pattern.then_part, at + pattern.part.size()) == std::string_view::npos) continue;
    return pattern.call;
  }
  return LaunchCall::kNone;
}

}  // namespace lockstep::analysis::summary
