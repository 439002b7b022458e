// Layout of help.
#include "cli/help_text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::cli {
namespace {

struct HelpLine {
  std::string term;
  std::string meaning;
};

std::string definition_list(const std::vector<HelpLine>& lines) {
  std::size_t widest = 0;
  for (const HelpLine& line : lines) widest = std::max(widest, line.term.size());
  std::string out;
  for (const HelpLine& line : lines) {
    out += fmt::format("  {:<{}}  {}\n", line.term, widest, line.meaning);
  }
  return out;
}

std::string command_list(const Subcommands& commands) {
  std::vector<HelpLine> lines;
  for (const auto& command : commands) {
    lines.push_back({std::string(command->name()), std::string(command->one_line())});
  }
  return definition_list(lines);
}

// "-o, --output OUTPUT"
std::string option_term(const Option& option) {
  const std::string names = fmt::format("{}", fmt::join(names_of(option), ", "));
  return takes_value(option) ? names + " " + option.value : names;
}

std::string option_meaning(const Option& option) {
  if (option.default_text.empty()) return option.help;
  return fmt::format("{} (default {})", option.help, option.default_text);
}

}  // namespace

std::string general_help(const Subcommands& commands) {
  return "lockstep reads execution traces of accelerators and says where execution falls out of\n"
         "step.\n"
         "\n"
         "Usage: lockstep COMMAND INPUT... [options]\n"
         "\n"
         "Commands:\n" +
         command_list(commands) +
         "\n"
         "'lockstep COMMAND --help' explains a command; 'lockstep --version' tells the version.\n";
}

std::string family_help(const Subcommand& command, const Subcommands& family) {
  return fmt::format(
      "Usage: lockstep {0} {1}\n\n{2}\n\nCommands:\n{3}\n"
      "'lockstep {0} COMMAND --help' explains a command.\n",
      command.name(), command.arguments(), command.long_help(), command_list(family));
}

std::string command_help(const Subcommand& command, const OptionTable& table) {
  std::vector<HelpLine> lines;
  for (const Option& option : table.options()) {
    if (is_positional(option)) continue;
    lines.push_back({option_term(option), option_meaning(option)});
  }
  return fmt::format("Usage: lockstep {} {}\n\n{}\n\nOptions:\n{}", command.name(),
                     command.arguments(), command.long_help(), definition_list(lines));
}

}  // namespace lockstep::cli
