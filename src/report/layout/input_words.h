// Names of inputs, and what several have in common, for the head of a report.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "formats/input/load.h"
#include "report/layout/page.h"

namespace lockstep::report::layout {

// The name of an input for people: "-" is standard input.
[[nodiscard]] std::string shown_input(const std::string& path);

// The value that all inputs share, or "mixed".
[[nodiscard]] std::string common_format(std::span<const formats::input::InputFacts> inputs);
[[nodiscard]] std::string common_compression(std::span<const formats::input::InputFacts> inputs);

[[nodiscard]] std::uint64_t total_size(std::span<const formats::input::InputFacts> inputs);
[[nodiscard]] std::uint64_t total_inflated(std::span<const formats::input::InputFacts> inputs);

// The head of a report: the first few, each with format and size. `mark` stands before the first.
void add_inputs(std::span<const formats::input::InputFacts> inputs, Page& page,
                std::string_view mark = {});

}  // namespace lockstep::report::layout
