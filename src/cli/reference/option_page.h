// The tables of options in docs/reference: Markdown between two marks.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/reference/command_record.h"

namespace lockstep::cli::reference {

// One row an option; a column for defaults where all have one.
[[nodiscard]] std::string option_table_markdown(std::span<const Option> options);

// `page` with what stands behind each `<!-- options: COMMAND -->` or `<!-- options: COMMAND: GROUP
// -->`, up to `<!-- end of options -->`, made anew. An internal error where a mark names no
// command of ours or has no end.
[[nodiscard]] Result<std::string> with_option_tables(std::string_view page,
                                                     std::span<const CommandRecord> records);

}  // namespace lockstep::cli::reference
