// Sentences of a report, wrapped to the width of the text.
#pragma once

#include <cstddef>
#include <string>

#include "report/layout/text_style.h"

namespace lockstep::report::layout {

// Lines of at most the width of `style`, each indented.
[[nodiscard]] std::string paragraph(const std::string& text, const TextStyle& style,
                                    std::size_t indent = 0);
[[nodiscard]] std::string faint_paragraph(const std::string& text, const TextStyle& style,
                                          std::size_t indent = 0);

// "HEADING: text", the heading as one.
[[nodiscard]] std::string headed_paragraph(const std::string& heading, const std::string& text,
                                           const TextStyle& style);

}  // namespace lockstep::report::layout
