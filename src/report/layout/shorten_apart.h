// Texts of one column, each shortened to its width, and different ones differently.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace lockstep::report::layout {

// Each text in at most `width` columns, as shorten_middle has it. Where two different texts would
// look alike, they are cut where they begin to differ, and where that does not help they are
// numbered: "#2". Valid UTF-8 of one line in, the same out.
[[nodiscard]] std::vector<std::string> shorten_apart(std::span<const std::string> texts,
                                                     std::size_t width);

// The same with a width for each text; equal texts of unlike widths may look unlike.
[[nodiscard]] std::vector<std::string> shorten_apart(std::span<const std::string> texts,
                                                     std::span<const std::size_t> widths);

}  // namespace lockstep::report::layout
