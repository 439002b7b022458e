// From the words after a command's name to the targets of its options.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/option_table.h"

namespace lockstep::cli {

struct ParsedWords {
  bool asks_help = false;
  std::vector<std::string> left_over;  // options that do not exist, words too many
};

// Sets the targets of what was given and marks it in the table. A usage error, without the name of
// the command, for a value that is missing or that its check refuses.
[[nodiscard]] Result<ParsedWords> parse_words(OptionTable& table, std::vector<std::string> words);

}  // namespace lockstep::cli
