// Completion for zsh: _arguments for every command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completions.h"

namespace lockstep::cli::reference {
namespace {

// Inside of single quotes, in a part of a specification that ends at one of `ends`.
std::string zsh_text(std::string_view text, std::string_view ends) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (c == '\\' || ends.contains(c)) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_value(const Option& option) {
  if (!takes_value(option)) return {};
  std::string action;
  if (!option.words.empty()) {
    action = fmt::format("({})", fmt::join(option.words, " "));
  } else if (option.completion == Completion::kFile) {
    action = "_files";
  } else if (option.completion == Completion::kFolder) {
    action = "_files -/";
  }
  return fmt::format(":{}:{}", zsh_text(option.value, ":"), action);
}

// '(-o --output)'{-o+,--output=}'[where to write]:OUTPUT:_files'
std::string zsh_option(const Option& option) {
  const std::vector<std::string_view> names = names_of(option);
  const bool is_again = std::holds_alternative<std::vector<std::string>*>(option.target);
  std::vector<std::string> forms;
  for (const std::string_view name : names) {
    const std::string_view sign = !takes_value(option) ? "" : name.starts_with("--") ? "=" : "+";
    forms.push_back(fmt::format("{}{}", name, sign));
  }
  const std::string rest = fmt::format("[{}]{}", zsh_text(option.help, "[]"), zsh_value(option));
  if (forms.size() == 1) return fmt::format("'{}{}{}'", is_again ? "*" : "", forms[0], rest);
  return fmt::format("'({})'{{{}}}'{}'", fmt::join(names, " "), fmt::join(forms, ","), rest);
}

std::string zsh_command(const CommandRecord& record) {
  std::string out = fmt::format("_lockstep_{}() {{\n  _arguments -s -S", page_name(record.name()));
  for (const Option& option : record.table.options()) {
    out += is_positional(option)
               ? fmt::format(" \\\n    '*:{}:_files'", zsh_text(option.names, ":"))
               : " \\\n    " + zsh_option(option);
  }
  return out + "\n}\n\n";
}

// The function of a command that chooses among others; `prefix` is of their functions.
std::string zsh_family(std::string_view function, std::string_view prefix,
                       const std::vector<const CommandRecord*>& members) {
  std::string list;
  std::string cases;
  for (const CommandRecord* member : members) {
    const std::string name = member->name().substr(member->name().rfind(' ') + 1);
    list += fmt::format("    '{}:{}'\n", name, zsh_text(member->command->one_line(), ""));
    cases += fmt::format("    {}) {}{} ;;\n", name, prefix, name);
  }
  return fmt::format(R"({0}() {{
  local curcontext=$curcontext state line
  local -a commands=(
{1}  )
  _arguments -C '(-h --help)'{{-h,--help}}'[show help]' '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
{2}      esac
      ;;
  esac
}}

)",
                     function, list, cases);
}

}  // namespace

std::string zsh_completion(std::span<const CommandRecord> records) {
  std::string out =
      "#compdef lockstep\n"
      "# Completion of lockstep for zsh.\n"
      "# Made by 'make reference' from the records of the options. Do not edit.\n\n";
  std::vector<const CommandRecord*> top;
  for (const CommandRecord& record : records) {
    if (!record.name().contains(' ')) top.push_back(&record);
    if (record.members.empty()) {
      out += zsh_command(record);
      continue;
    }
    std::vector<const CommandRecord*> members;
    for (const CommandRecord& other : records) {
      if (other.name().starts_with(record.name() + " ")) members.push_back(&other);
    }
    const std::string function = "_lockstep_" + page_name(record.name());
    out += zsh_family(function, function + "-", members);
  }
  return out + zsh_family("_lockstep", "_lockstep_", top) + "_lockstep \"$@\"\n";
}

}  // namespace lockstep::cli::reference
