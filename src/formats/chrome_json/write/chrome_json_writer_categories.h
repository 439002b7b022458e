// The words of Kineto for what other formats name otherwise.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace lockstep::formats::chrome_json {

// What Kineto calls an event of this kind; for traces whose own format has no such word.
[[nodiscard]] std::string_view kineto_category(trace::Kind kind, bool on_device);

}  // namespace lockstep::formats::chrome_json
