// Help, made from the same records that the command line is parsed by.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/subcommand.h"

namespace lockstep {

[[nodiscard]] std::string general_help(const std::vector<std::unique_ptr<Subcommand>>& commands);

// `app` holds the options of `command`.
[[nodiscard]] std::string command_help(const Subcommand& command, const CLI::App& app);

}  // namespace lockstep
