// The buffer of TVM's CudaProfiler as a Perfetto trace.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"

namespace lockstep::device {

// `words` are the 64-bit words of the buffer after the launch; `names` are those of events.
[[nodiscard]] Status export_perfetto(std::span<const std::byte> words,
                                     std::vector<std::string> names, const std::string& path,
                                     Diagnostics& findings);

}  // namespace lockstep::device
