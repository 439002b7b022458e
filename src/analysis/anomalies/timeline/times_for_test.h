// Times as tests write them.
#pragma once

#include <cstdint>

#include "trace/trace.h"

namespace lockstep::analysis::anomalies {

[[nodiscard]] constexpr Time us(std::int64_t count) { return {count * kPicosecondsPerMicrosecond}; }
[[nodiscard]] constexpr Time ms(std::int64_t count) { return us(1000 * count); }

}  // namespace lockstep::analysis::anomalies
