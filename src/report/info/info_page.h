// The summary for people: one screen where the trace allows it.
#pragma once

#include <span>
#include <string>

#include "analysis/summary/summary.h"
#include "formats/input/load.h"
#include "report/layout/page.h"

namespace lockstep::report::info {

[[nodiscard]] layout::Page info_page(const analysis::summary::Summary& summary,
                                     std::span<const formats::input::InputFacts> inputs,
                                     const layout::PageRoom& room);

// The same on a terminal and as a file.
[[nodiscard]] std::string info_text(const analysis::summary::Summary& summary,
                                    std::span<const formats::input::InputFacts> inputs,
                                    const layout::TextStyle& style);
[[nodiscard]] std::string info_markdown(const analysis::summary::Summary& summary,
                                        std::span<const formats::input::InputFacts> inputs);

}  // namespace lockstep::report::info
