// What a command of the program is: a name, its help, its options, and what it does.
//
// subcommands.cpp lists all commands. To add one: a pair of files, one line in that list. A command
// may be a family of commands (`kernel decode`); then it only lists them.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/exit_code.h"

namespace lockstep::cli {

class OptionTable;
class Subcommand;
using Subcommands = std::vector<std::unique_ptr<Subcommand>>;

class Subcommand {
 public:
  virtual ~Subcommand() = default;

  // One of a family has its name before its own: "kernel decode".
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual std::string_view arguments() const = 0;  // "INPUT... [options]"
  [[nodiscard]] virtual std::string_view one_line() const = 0;
  [[nodiscard]] virtual std::string_view long_help() const = 0;  // with an example

  // The commands of a family, in the order of its help; none for a command that runs.
  [[nodiscard]] virtual Subcommands family() const { return {}; }

  // Positional arguments are not marked as required here: run() says in a sentence what is missing,
  // after unknown options have been reported.
  virtual void add_options(OptionTable& table) = 0;
  // Called once, after parsing.
  [[nodiscard]] virtual Result<ExitCode> run() = 0;
};

// All commands, in the order in which help lists them.
[[nodiscard]] Subcommands builtin_subcommands();

}  // namespace lockstep::cli
