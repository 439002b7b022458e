// The summary for people: one screen where the trace allows it.
#pragma once

#include <span>
#include <string>

#include "analysis/summary/summary.h"
#include "formats/input/load.h"
#include "report/layout/text_style.h"

namespace lockstep::report::info {

[[nodiscard]] std::string info_text(const analysis::summary::Summary& summary,
                                    std::span<const formats::input::InputFacts> inputs,
                                    const layout::TextStyle& style);

}  // namespace lockstep::report::info
