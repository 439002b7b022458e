// Layout of help.
#include "cli/help_text.h"

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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
std::string option_term(const CLI::Option& option) {
  std::string term;
  for (const std::string& name : option.get_snames()) term += fmt::format("-{}, ", name);
  for (const std::string& name : option.get_lnames()) term += fmt::format("--{}, ", name);
  term.resize(term.size() - std::min<std::size_t>(2, term.size()));
  if (option.get_expected_max() > 0) term += " " + option.get_type_name();
  return term;
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

std::string command_help(const Subcommand& command, const CLI::App& app) {
  std::vector<HelpLine> lines;
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    lines.push_back({option_term(*option), option->get_description()});
  }
  return fmt::format("Usage: lockstep {} {}\n\n{}\n\nOptions:\n{}", command.name(),
                     command.arguments(), command.long_help(), definition_list(lines));
}

}  // namespace lockstep::cli
