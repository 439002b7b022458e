// Which runtime calls ask a device for work, told by their names once per distinct name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace lockstep::analysis::summary {

enum class LaunchCall : std::uint8_t {
  kNone,     // the call asks for no device work, or not for work that the device reports
  kSingle,   // one kernel, copy or set: cudaLaunchKernel, hipMemcpyAsync
  kGraph,    // many at once: cudaGraphLaunch
  kCapture,  // from here on launches may be recorded into a graph instead of run
};

[[nodiscard]] LaunchCall launch_call_named(std::string_view name);

// The same by id, remembering its answers.
class LaunchCalls {
 public:
  explicit LaunchCalls(const StringPool& strings)
      : strings_(strings), answers_(strings.size(), kNotAsked) {}

  [[nodiscard]] LaunchCall of(StringId name) {
    std::uint8_t& answer = answers_[static_cast<std::uint32_t>(name)];
    if (answer == kNotAsked)
      answer = static_cast<std::uint8_t>(launch_call_named(strings_.view(name)));
    return LaunchCall{answer};
  }

 private:
  static constexpr std::uint8_t kNotAsked = 0xFF;

  const StringPool& strings_;
  std::vector<std::uint8_t> answers_;  // by StringId
};

}  // namespace lockstep::analysis::summary
