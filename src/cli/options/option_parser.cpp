// The one file that knows CLI11, which takes seconds to compile: tests/include_arrows_test.py.
#include "cli/options/option_parser.h"

#include <algorithm>
#include <optional>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace lockstep::cli {
namespace {

struct AddOption {
  CLI::App& app;
  const Option& option;

  CLI::Option* operator()(std::monostate) const { return app.set_help_flag(option.names); }
  CLI::Option* operator()(bool* target) const { return app.add_flag(option.names, *target); }
  template <typename T>
  CLI::Option* operator()(T* target) const {
    CLI::Option* const added = app.add_option(option.names, *target);
    // An option that can be given again takes one value each time; what follows is an input.
    if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      if (!is_positional(option)) added->allow_extra_args(false);
    }
    if (option.check != nullptr) added->check(option.check);
    return added->type_name(option.value);
  }
};

// "--top: 1 required N missing" is not how people talk.
std::string sentence_for(const CLI::ParseError& error) {
  const std::string_view text = error.what();
  const std::string_view name = text.substr(0, text.find(':'));
  if (text.ends_with("missing")) return fmt::format("{} needs a value", name);
  if (text.starts_with(fmt::format("{}: At Most 1 required", name))) {
    return fmt::format("{} is given more than once", name);
  }
  return std::string(text);
}

bool is_option_with_value(const OptionTable& table, std::string_view word) {
  return std::ranges::any_of(table.options(), [&](const Option& option) {
    return !is_positional(option) && takes_value(option) &&
           std::ranges::count(names_of(option), word) > 0;
  });
}

// The option of a word such as "--csv=": CLI11 would take the next word, which may be an input, for
// the name of an output.
std::optional<std::string> option_without_value(const OptionTable& table,
                                                const std::vector<std::string>& words) {
  bool is_value = false;  // of the option before it, whatever it looks like
  for (const std::string& word : words) {
    if (is_value) {
      is_value = false;
      continue;
    }
    if (word == "--") break;  // all words behind it are names
    const std::string name = word.substr(0, word.rfind('='));
    if (word.starts_with("--") && word.ends_with('=') && is_option_with_value(table, name)) {
      return name;
    }
    is_value = is_option_with_value(table, word);
  }
  return std::nullopt;
}

}  // namespace

Result<ParsedWords> parse_words(OptionTable& table, std::vector<std::string> words) {
  if (const auto option = option_without_value(table, words)) {
    return usage_error(fmt::format("{} needs a value", *option));
  }
  CLI::App app;
  app.allow_extras();
  std::vector<const CLI::Option*> added;
  for (const Option& option : table.options()) {
    added.push_back(std::visit(AddOption{app, option}, option.target));
  }
  std::ranges::reverse(words);  // CLI11 takes words from the back
  ParsedWords parsed;
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    parsed.asks_help = true;
    return parsed;
  } catch (const CLI::ParseError& error) {
    return usage_error(sentence_for(error));
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    table.options()[i].is_given = added[i]->count() > 0;
  }
  parsed.left_over = app.remaining();
  std::erase(parsed.left_over, "--");  // all words behind it are names
  return parsed;
}

}  // namespace lockstep::cli
