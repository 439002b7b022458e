// The streams that a command talks to: text out, sentences about trouble, what the terminal can do.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_sink.h"
#include "report/layout/text_style.h"

namespace lockstep::cli {

// To standard output; fails when it cannot be written.
[[nodiscard]] Status print(std::string_view text);

// The same for what is written as it is made, because it may be long.
[[nodiscard]] Status print_by(const std::function<Status(io::ByteSink&)>& write);

// "lockstep: SENTENCE" on standard error, on one line.
void complain(std::string_view sentence);

// "wrote NAME: WHAT" as a line for standard output; a name may be any bytes.
[[nodiscard]] std::string wrote_line(std::string_view path, std::string_view what = {});

// The width of the terminal on standard output (elsewhere what COLUMNS says, or 100), and whether
// colour is wanted there: never with NO_COLOR (no-color.org), never where the output is not a
// terminal.
[[nodiscard]] report::layout::TextStyle console_style(bool has_full_names = false);

}  // namespace lockstep::cli
