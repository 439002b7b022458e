// Names of inputs, and what several have in common, for the head of a report.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "formats/input/load.h"
#include "report/layout/text_style.h"

namespace lockstep::report::layout {

// The name of an input for people: "-" is standard input.
[[nodiscard]] std::string shown_input(const std::string& path);

// The value that all inputs share, or "mixed".
[[nodiscard]] std::string common_format(std::span<const formats::input::InputFacts> inputs);
[[nodiscard]] std::string common_compression(std::span<const formats::input::InputFacts> inputs);

[[nodiscard]] std::uint64_t total_size(std::span<const formats::input::InputFacts> inputs);
[[nodiscard]] std::uint64_t total_inflated(std::span<const formats::input::InputFacts> inputs);

// The head of a report: a line for each of the first few, with format and size.
[[nodiscard]] std::string input_lines(std::span<const formats::input::InputFacts> inputs,
                                      const TextStyle& style);

}  // namespace lockstep::report::layout
