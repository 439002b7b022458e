// The table of ranks, devices and streams for people.
#pragma once

#include <string>

#include "analysis/summary/summary.h"
#include "report/layout/text_style.h"

namespace lockstep {

[[nodiscard]] std::string devices_section(const Summary& summary, const TextStyle& style);

}  // namespace lockstep
