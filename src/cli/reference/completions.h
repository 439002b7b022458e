// What shells complete after `lockstep`: commands, their options, words and files for values.
#pragma once

#include <span>
#include <string>

#include "cli/reference/command_record.h"

namespace lockstep::cli::reference {

[[nodiscard]] std::string bash_completion(std::span<const CommandRecord> records);
[[nodiscard]] std::string zsh_completion(std::span<const CommandRecord> records);
[[nodiscard]] std::string fish_completion(std::span<const CommandRecord> records);

}  // namespace lockstep::cli::reference
