// Families unfolded.
#include "cli/reference/command_record.h"

#include <algorithm>

namespace lockstep::cli::reference {
namespace {

void add_record(std::unique_ptr<Subcommand> command, std::vector<CommandRecord>& records) {
  Subcommands family = command->family();
  CommandRecord& record = records.emplace_back();
  for (const auto& member : family) {
    record.members.emplace_back(member->name().substr(command->name().size() + 1));
  }
  command->add_options(record.table);
  record.command = std::move(command);
  for (auto& member : family) add_record(std::move(member), records);
}

}  // namespace

std::vector<CommandRecord> command_records() {
  std::vector<CommandRecord> records;
  for (auto& command : builtin_subcommands()) add_record(std::move(command), records);
  return records;
}

std::string page_name(std::string_view command) {
  std::string name(command);
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::vector<Option> options_of(const CommandRecord& record, std::string_view group) {
  std::vector<Option> options;
  for (const Option& option : record.table.options()) {
    if (!is_positional(option) && option.group == group) options.push_back(option);
  }
  return options;
}

std::vector<std::string> groups_of(const CommandRecord& record) {
  std::vector<std::string> groups = {""};
  for (const Option& option : record.table.options()) {
    if (std::ranges::count(groups, option.group) == 0) groups.push_back(option.group);
  }
  return groups;
}

}  // namespace lockstep::cli::reference
