// Completion for fish: a line for every option.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/reference/completions.h"

namespace lockstep::cli::reference {
namespace {

constexpr std::string_view kFishHead = R"(# Completion of lockstep for fish.
# Made by 'make reference' from the records of the options. Do not edit.

# Whether the line is one of the command given; of a family, its member.
function __lockstep_runs
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l count (count (string split ' ' -- $argv[1]))
    test (count $typed) -ge $count; or return 1
    test "$typed[1..$count]" = "$argv[1]"
end

# Whether the next word chooses a command; of a family, its member.
function __lockstep_chooses
    set -l typed (commandline -opc)
    set -e typed[1]
    test "$typed" = "$argv[1]"
end

complete -c lockstep -f
)";

std::string fish_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string fish_value(const Option& option) {
  if (!takes_value(option)) return {};
  if (!option.words.empty()) return fmt::format(" -x -a '{}'", fmt::join(option.words, " "));
  if (option.completion == Completion::kFile) return " -r -F";
  if (option.completion == Completion::kFolder) return " -x -a '(__fish_complete_directories)'";
  return " -x";
}

std::string fish_option(const std::string& condition, const Option& option) {
  if (is_positional(option)) return fmt::format("complete -c lockstep -n '{}' -F\n", condition);
  std::string names;
  for (const std::string_view name : names_of(option)) {
    const bool is_long = name.starts_with("--");
    names += fmt::format(" -{} {}", is_long ? 'l' : 's', name.substr(is_long ? 2 : 1));
  }
  return fmt::format("complete -c lockstep -n '{}'{}{} -d '{}'\n", condition, names,
                     fish_value(option), fish_text(option.help));
}

// `words` are those before it: none, or the name of its family.
std::string fish_choice(std::string_view words, std::string_view name, std::string_view help) {
  return fmt::format("complete -c lockstep -n '__lockstep_chooses \"{}\"' -a {} -d '{}'\n", words,
                     name, fish_text(help));
}

}  // namespace

std::string fish_completion(std::span<const CommandRecord> records) {
  std::string out(kFishHead);
  for (const CommandRecord& record : records) {
    const std::string name = record.name();
    const std::size_t space = name.rfind(' ');
    const bool is_member = space != std::string::npos;
    out +=
        "\n" + fish_choice(is_member ? name.substr(0, space) : "",
                           is_member ? name.substr(space + 1) : name, record.command->one_line());
    if (!is_member) out += fish_choice("help", name, record.command->one_line());
    if (!record.members.empty()) continue;
    const std::string condition = fmt::format("__lockstep_runs \"{}\"", name);
    for (const Option& option : record.table.options()) out += fish_option(condition, option);
  }
  return out + "\n" + fish_choice("", "help", "show help") +
         "complete -c lockstep -n '__lockstep_chooses \"\"' -s h -l help -d 'show help'\n"
         "complete -c lockstep -n '__lockstep_chooses \"\"' -s V -l version -d 'show the "
         "version'\n";
}

}  // namespace lockstep::cli::reference
