// The one file that knows CLI11, which takes seconds to compile: tests/include_arrows_test.py.
#include "cli/options/option_parser.h"

#include <algorithm>
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
  if (!text.ends_with("missing")) return std::string(text);
  return fmt::format("{} needs a value", text.substr(0, text.find(':')));
}

}  // namespace

Result<ParsedWords> parse_words(OptionTable& table, std::vector<std::string> words) {
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
