// Records of shared options, and what --strict and --quiet do.
#include "cli/options/shared_options.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/progress.h"
#include "cli/console.h"
#include "cli/options/value_checks.h"
#include "report/layout/health_text.h"

namespace lockstep::cli {

Option inputs_option(std::vector<std::string>& inputs) {
  return {.names = "INPUT",
          .target = &inputs,
          .help = "trace files, directories of traces, or -",
          .completion = Completion::kFile};
}

Option json_option(bool& json, std::string_view schema) {
  return {.names = "--json",
          .target = &json,
          .help = fmt::format("print one JSON document, schema {}", schema),
          .details = fmt::format("one JSON document instead of text, schema `{}`", schema)};
}

Option full_names_option(bool& full_names) {
  return {.names = "--full-names",
          .target = &full_names,
          .help = "show names of kernels whole, however wide tables get",
          .details =
              "names of kernels as they are in source, with namespaces, template arguments and "
              "parameters; tables get as wide as they need"};
}

Option top_option(OptionTarget top, std::string_view what) {
  return {.names = "--top",
          .target = top,
          .value = "N",
          .help = fmt::format("{}; 0 for all", what),
          .default_text = "10",
          .check = is_whole_number};
}

Option percentage(std::string_view name, double& value, std::string_view help,
                  std::string_view details) {
  return {.names = std::string(name),
          .target = &value,
          .value = "PCT",
          .help = std::string(help),
          .default_text = fmt::format("{:g}", value),
          .details = std::string(details),
          .check = is_percentage};
}

void SharedOptions::add_to(OptionTable& table) {
  table.add({.names = "--strict",
             .target = &strict,
             .help = "exit with 3 when data was lost or the input contradicts itself",
             .details = "exit with 3 when data was lost or the input contradicts itself; the "
                        "output is the same"});
  table.add({.names = "-q,--quiet",
             .target = &quiet,
             .help = "show no progress",
             .details = "no progress line (it is drawn only when standard error is a terminal)"});
}

Error needs_trace(std::string_view command) {
  return usage_error(fmt::format("{} needs a trace", command),
                     fmt::format("Try 'lockstep {} --help'", command));
}

Error cannot_be_together(std::string_view option, std::string_view other) {
  return usage_error(fmt::format("{} and {} cannot be used together", option, other));
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
  for (const std::string& line : report::layout::warning_lines(diagnostics, inputs)) complain(line);
}

}  // namespace lockstep::cli
