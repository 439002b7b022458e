// The dialect of Kineto, PyTorch's profiler, in all its years.
#pragma once

#include "formats/chrome_json/dialects/dialect.h"

namespace lockstep::formats::chrome_json {

[[nodiscard]] const Dialect& kineto_dialect();

}  // namespace lockstep::formats::chrome_json
