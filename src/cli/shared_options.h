// Options that every command which reads traces has.
#pragma once

#include "base/diagnostics.h"
#include "cli/exit_code.h"
#include "formats/load.h"

namespace CLI {
class App;
}

namespace lockstep {

struct SharedOptions {
  bool strict = false;
  bool quiet = false;

  void add_to(CLI::App& app);
  [[nodiscard]] LoadOptions load_options() const;
  // How a command ends that has done its work on an input with these diagnostics.
  [[nodiscard]] ExitCode exit_code(const Diagnostics& diagnostics) const;
};

// Data loss and errors, one line each, on standard error.
void warn_about(const Diagnostics& diagnostics, bool name_inputs);

}  // namespace lockstep
