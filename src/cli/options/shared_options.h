// Options that commands share: each stands here once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "cli/exit_code.h"
#include "cli/options/option_table.h"
#include "formats/input/load.h"

namespace lockstep::cli {

struct SharedOptions {
  bool strict = false;
  bool quiet = false;

  void add_to(OptionTable& table);
  [[nodiscard]] formats::input::LoadOptions load_options() const;
  // How a command ends that has done its work on an input with these diagnostics.
  [[nodiscard]] ExitCode exit_code(const Diagnostics& diagnostics) const;
};

// INPUT..., the ranks of one run.
[[nodiscard]] Option inputs_option(std::vector<std::string>& inputs);
// --json, for a document of that schema.
[[nodiscard]] Option json_option(bool& json, std::string_view schema);
// --full-names
[[nodiscard]] Option full_names_option(bool& full_names);
// --top N; `what` is what is listed. Zero is for all.
[[nodiscard]] Option top_option(OptionTarget top, std::string_view what);

// A share in percent that a verdict depends on; what it is before parsing is its default.
[[nodiscard]] Option percentage(std::string_view name, double& value, std::string_view help,
                                std::string_view details);

[[nodiscard]] Error needs_trace(std::string_view command);
// Of two documents that would both be printed in the place of the report.
[[nodiscard]] Error cannot_be_together(std::string_view option, std::string_view other);

// A usage error for an empty name, and for standard input given twice.
[[nodiscard]] Status check_inputs(std::span<const std::string> inputs);

// Data loss and errors, one line a kind, on standard error. With several inputs, theirs are named.
void warn_about(const Diagnostics& diagnostics, std::size_t inputs);

}  // namespace lockstep::cli
