// Choosing the command, parsing its words, and turning errors into sentences and exit codes.
#include "cli/command_line.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help_text.h"
#include "cli/options/option_parser.h"
#include "cli/subcommand.h"

namespace lockstep::cli {
namespace {

constexpr std::string_view kVersionText = "lockstep " LOCKSTEP_VERSION "\n";

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates,
                         std::string_view otherwise) {
  const std::string_view nearest = nearest_word(word, candidates);
  if (nearest.empty()) return fmt::format("; see '{}'", otherwise);
  return fmt::format("; did you mean '{}'?", nearest);
}

Subcommand* find_command(const Subcommands& commands, std::string_view name) {
  const auto found = std::ranges::find_if(
      commands, [name](const auto& command) { return command->name() == name; });
  return found == commands.end() ? nullptr : found->get();
}

Error unknown_command(const Subcommands& commands, std::string_view word) {
  std::vector<std::string_view> known = {"help"};
  if (word.starts_with('-')) {
    known = {"--help", "--version"};
  } else {
    for (const auto& command : commands) known.push_back(command->name());
  }
  return usage_error(fmt::format("no {} '{}'{}", word.starts_with('-') ? "option" : "command", word,
                                 did_you_mean(word, known, "lockstep help")));
}

Error unknown_member(const Subcommand& command, const Subcommands& family, std::string_view word) {
  const std::size_t prefix = command.name().size() + 1;
  std::vector<std::string_view> known;
  for (const auto& one : family) known.push_back(one->name().substr(prefix));
  return usage_error(
      fmt::format("{} has no command '{}'{}", command.name(), word,
                  did_you_mean(word, known, fmt::format("lockstep {} --help", command.name()))));
}

// What is left over after parsing: an option that does not exist, or a word too many.
Error unexpected_word(const Subcommand& command, const OptionTable& table,
                      const std::string& word) {
  const std::string help = fmt::format("lockstep {} --help", command.name());
  if (!word.starts_with('-')) {
    return usage_error(fmt::format("'{}' is one argument too many; see '{}'", word, help));
  }
  std::vector<std::string_view> known;  // long ones: any letter is near to any other
  for (const Option& option : table.options()) {
    for (const std::string_view name : names_of(option)) {
      if (name.starts_with("--")) known.push_back(name);
    }
  }
  const std::string option = word.substr(0, word.find('='));
  return usage_error(fmt::format("{} has no option '{}'{}", command.name(), option,
                                 did_you_mean(option, known, help)));
}

Result<ExitCode> run_command(Subcommand& command, std::vector<std::string> words) {
  OptionTable table;
  command.add_options(table);
  const Result<ParsedWords> parsed = parse_words(table, std::move(words));
  if (!parsed.ok()) {
    return usage_error(fmt::format("{}: {}", command.name(), parsed.error().message),
                       fmt::format("See 'lockstep {} --help'", command.name()));
  }
  if (parsed.value().asks_help) {
    LOCKSTEP_RETURN_IF_ERROR(print(command_help(command, table)));
    return ExitCode::kDone;
  }
  const std::vector<std::string>& left_over = parsed.value().left_over;
  if (!left_over.empty()) return unexpected_word(command, table, left_over.front());
  return command.run();
}

Result<ExitCode> print_and_end(std::string_view text) {
  LOCKSTEP_RETURN_IF_ERROR(print(text));
  return ExitCode::kDone;
}

bool asks_help(std::string_view word) { return word == "help" || word == "--help" || word == "-h"; }

// One of a family of commands: `words` are those after the family's name.
Result<ExitCode> run_family(const Subcommand& command, const Subcommands& family,
                            const std::vector<std::string>& words) {
  if (words.empty()) {
    LOCKSTEP_RETURN_IF_ERROR(print(family_help(command, family)));
    return ExitCode::kUsage;
  }
  if (asks_help(words.front()) && words.size() == 1) {
    return print_and_end(family_help(command, family));
  }
  const std::string& first = asks_help(words.front()) ? words[1] : words.front();
  Subcommand* const chosen = find_command(family, fmt::format("{} {}", command.name(), first));
  if (chosen == nullptr) return unknown_member(command, family, first);
  if (asks_help(words.front())) return run_command(*chosen, {"--help"});
  return run_command(*chosen, {words.begin() + 1, words.end()});
}

Result<ExitCode> run_any(Subcommand& command, const std::vector<std::string>& words) {
  const Subcommands family = command.family();
  return family.empty() ? run_command(command, words) : run_family(command, family, words);
}

Result<ExitCode> dispatch(const Subcommands& commands, const std::vector<std::string>& words) {
  if (words.empty()) {
    return usage_error("a command is missing", "Try 'lockstep help'");
  }
  const std::string& first = words.front();
  if (first == "--version" || first == "-V") return print_and_end(kVersionText);
  const bool is_help = asks_help(first);
  if (is_help && words.size() == 1) return print_and_end(general_help(commands));
  const std::string& name = is_help ? words[1] : first;
  Subcommand* const command = find_command(commands, name);
  if (command == nullptr) return unknown_command(commands, name);
  std::vector<std::string> rest(words.begin() + (is_help ? 2 : 1), words.end());
  if (is_help) rest.insert(rest.begin(), "--help");
  return run_any(*command, rest);
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& words) {
  const Result<ExitCode> result = dispatch(builtin_subcommands(), words);
  if (result.ok()) return result.value();
  Error error = result.error();
  if (error.where == "-") error.where = "standard input";
  complain(error.text());
  return exit_code_for(error.code);
}

}  // namespace lockstep::cli
