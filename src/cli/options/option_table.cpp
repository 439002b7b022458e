// The names of an option, and the option that every command has.
#include "cli/options/option_table.h"

#include <algorithm>

namespace lockstep::cli {

OptionTable::OptionTable() { add({.names = "-h,--help", .help = "show this help"}); }

std::vector<std::string_view> names_of(const Option& option) {
  std::vector<std::string_view> names;
  const std::string_view all = option.names;
  for (std::size_t from = 0; from <= all.size();) {
    const std::size_t to = std::min(all.find(',', from), all.size());
    names.push_back(all.substr(from, to - from));
    from = to + 1;
  }
  return names;
}

bool is_positional(const Option& option) { return !option.names.starts_with('-'); }

bool takes_value(const Option& option) {
  return !std::holds_alternative<std::monostate>(option.target) &&
         !std::holds_alternative<bool*>(option.target);
}

}  // namespace lockstep::cli
