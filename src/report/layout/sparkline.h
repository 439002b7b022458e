// A row of numbers as a row of bars of eight heights, one column of text each.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/time.h"

namespace lockstep::report::layout {

// Bars grow from zero, the longest time is a full one. More than `cells` times share bars, in
// order; a bar is as high as the longest of its times, so that a single slow one is seen.
[[nodiscard]] std::string sparkline(std::span<const Time> times, std::size_t cells);

}  // namespace lockstep::report::layout
