// Options that every command which reads traces has.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "cli/exit_code.h"
#include "formats/input/load.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

struct SharedOptions {
  bool strict = false;
  bool quiet = false;

  void add_to(CLI::App& app);
  [[nodiscard]] formats::input::LoadOptions load_options() const;
  // How a command ends that has done its work on an input with these diagnostics.
  [[nodiscard]] ExitCode exit_code(const Diagnostics& diagnostics) const;
};

// A usage error for an empty name, and for standard input given twice.
[[nodiscard]] Status check_inputs(std::span<const std::string> inputs);

// Data loss and errors, one line a kind, on standard error. With several inputs, theirs are named.
void warn_about(const Diagnostics& diagnostics, std::size_t inputs);

}  // namespace lockstep::cli
