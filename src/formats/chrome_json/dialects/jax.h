// The dialect of JAX: trace.json of its profiler, whose lanes are told by the names of processes
// and threads.
#pragma once

#include <string_view>

#include "formats/chrome_json/dialects/dialect.h"

namespace lockstep::formats::chrome_json {

[[nodiscard]] const Dialect& jax_dialect();

// "/device:GPU:0 (pid 2)", "/host:CPU".
[[nodiscard]] bool is_jax_process(std::string_view name);

}  // namespace lockstep::formats::chrome_json
