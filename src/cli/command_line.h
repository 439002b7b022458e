// From the words of the command line to a command that runs, or to a sentence on what is wrong.
#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"

namespace lockstep::cli {

// `words` are those after the program's name. Prints errors as "lockstep: SENTENCE".
[[nodiscard]] ExitCode run_command_line(const std::vector<std::string>& words);

}  // namespace lockstep::cli
