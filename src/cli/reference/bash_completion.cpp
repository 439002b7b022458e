// Completion for bash: one function, with a case for every command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completions.h"

namespace lockstep::cli::reference {
namespace {

constexpr std::string_view kBashHead = R"(# Completion of lockstep for bash.
# Made by 'make reference' from the records of the options. Do not edit.

_lockstep() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
  # '=' parts words: --mode=decode are three.
  if [[ $cur == = ]]; then
    cur=
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD-2]}
  fi
  local command=
  ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}
)";

constexpr std::string_view kBashTail = R"(  esac
  COMPREPLY=()
  if [[ $offered == words ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
  elif [[ $offered == options && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $offered == folders ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
  elif [[ $offered != nothing ]]; then
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  fi
} && complete -F _lockstep lockstep
)";

std::string bash_words(std::string_view words) {
  return fmt::format("offered=words words='{}'", words);
}

std::string bash_value(const Option& option) {
  if (!option.words.empty()) return bash_words(fmt::format("{}", fmt::join(option.words, " ")));
  return option.completion == Completion::kFile ? "offered=files" : "offered=folders";
}

bool has_anything_to_offer(const Option& option) {
  return !option.words.empty() || option.completion != Completion::kNothing;
}

std::string bash_command(const CommandRecord& record) {
  std::vector<std::string_view> all;
  std::vector<std::string_view> free;  // options whose value only the user knows
  std::string values;
  for (const Option& option : record.table.options()) {
    if (is_positional(option)) continue;
    const std::vector<std::string_view> names = names_of(option);
    all.insert(all.end(), names.begin(), names.end());
    if (!takes_value(option)) continue;
    if (has_anything_to_offer(option)) {
      values += fmt::format("        {}) {} ;;\n", fmt::join(names, " | "), bash_value(option));
    } else {
      free.insert(free.end(), names.begin(), names.end());
    }
  }
  if (!free.empty()) {
    values += fmt::format("        {}) offered=nothing ;;\n", fmt::join(free, " | "));
  }
  return fmt::format("    '{}')\n      options='{}'\n      case $prev in\n{}      esac\n      ;;\n",
                     record.name(), fmt::join(all, " "), values);
}

}  // namespace

std::string bash_completion(std::span<const CommandRecord> records) {
  std::string top;
  std::string families;
  std::string commands;
  for (const CommandRecord& record : records) {
    if (!record.name().contains(' ')) top += record.name() + " ";
    if (record.members.empty()) {
      commands += bash_command(record);
      continue;
    }
    families += fmt::format(
        "  [[ $command == '{}' ]] && ((COMP_CWORD > 2)) && command+=\" ${{COMP_WORDS[2]}}\"\n",
        record.name());
    commands += fmt::format("    '{}') {} ;;\n", record.name(),
                            bash_words(fmt::format("{} --help", fmt::join(record.members, " "))));
  }
  return fmt::format(
      "{}{}  local offered=options options='-h --help' words=\n  case $command in\n"
      "    '') {} ;;\n    help) {} ;;\n{}{}",
      kBashHead, families, bash_words(top + "help --help --version"),
      bash_words(top.substr(0, top.size() - 1)), commands, kBashTail);
}

}  // namespace lockstep::cli::reference
