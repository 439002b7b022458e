// --strict, --quiet, and what they do.
#include "cli/options/shared_options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/progress.h"
#include "cli/console.h"
#include "report/info/health_text.h"

namespace lockstep::cli {

void SharedOptions::add_to(CLI::App& app) {
  app.add_flag("--strict", strict,
               "exit with 3 when data was lost or the input contradicts itself");
  app.add_flag("-q,--quiet", quiet, "show no progress");
}

formats::input::LoadOptions SharedOptions::load_options() const {
  formats::input::LoadOptions options;
  options.show_progress = !quiet && ProgressLine::stderr_is_terminal();
  return options;
}

ExitCode SharedOptions::exit_code(const Diagnostics& diagnostics) const {
  if (!strict || !diagnostics.has_loss()) return ExitCode::kDone;
  complain("data was lost or the input contradicts itself, and --strict was given");
  return ExitCode::kUnusable;
}

Status check_inputs(std::span<const std::string> inputs) {
  if (std::ranges::count(inputs, "") > 0) {
    return usage_error("the name of an input is empty", "Check the variables of your command");
  }
  if (std::ranges::count(inputs, "-") > 1) {
    return usage_error("- (standard input) can be given only once");
  }
  return {};
}

void warn_about(const Diagnostics& diagnostics, std::size_t inputs) {
  for (const std::string& line : report::info::warning_lines(diagnostics, inputs)) complain(line);
}

}  // namespace lockstep::cli
