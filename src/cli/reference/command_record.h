// All commands as the reference tells them: families before their members, options with each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options/option_table.h"
#include "cli/subcommand.h"

namespace lockstep::cli::reference {

struct CommandRecord {
  std::unique_ptr<Subcommand> command;
  OptionTable table;
  std::vector<std::string> members;  // of a family, by their own names: "decode"

  [[nodiscard]] std::string name() const { return std::string(command->name()); }
};

// In the order of the help.
[[nodiscard]] std::vector<CommandRecord> command_records();

// "kernel decode" as "kernel-decode", which its pages are called.
[[nodiscard]] std::string page_name(std::string_view command);

// Options of that group, positional arguments left out; the first group is the one without a name.
[[nodiscard]] std::vector<Option> options_of(const CommandRecord& record, std::string_view group);
[[nodiscard]] std::vector<std::string> groups_of(const CommandRecord& record);

}  // namespace lockstep::cli::reference
