// Help, made from the same records that the command line is parsed by.
#pragma once

#include <string>

#include "cli/options/option_table.h"
#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::string general_help(const Subcommands& commands);

// Of a command that is a family of commands.
[[nodiscard]] std::string family_help(const Subcommand& command, const Subcommands& family);

// `table` holds the options of `command`.
[[nodiscard]] std::string command_help(const Subcommand& command, const OptionTable& table);

}  // namespace lockstep::cli
