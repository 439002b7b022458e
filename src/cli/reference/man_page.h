// Pages for man(1), in the language of groff's and mandoc's man macros.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/reference/command_record.h"

namespace lockstep::cli::reference {

// lockstep(1): the commands.
[[nodiscard]] std::string program_man_page(std::span<const CommandRecord> records);
// lockstep-NAME(1).
[[nodiscard]] std::string command_man_page(const CommandRecord& record,
                                           std::span<const CommandRecord> records);

// `text` so that roff shows exactly these letters: no line of it is a request, a hyphen stays the
// letter that shells know, a backslash stays one.
[[nodiscard]] std::string roff_text(std::string_view text);
// The same for a line of Markdown: code is bold, a link to the page of a command names its man
// page.
[[nodiscard]] std::string roff_of_markdown(std::string_view text);

}  // namespace lockstep::cli::reference
