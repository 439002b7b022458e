// The options that select a part of a trace: --slice, --ranks, --devices, --kinds.
#pragma once

#include <span>
#include <string>

#include "base/diagnostics.h"
#include "base/result.h"
#include "cli/options/option_table.h"
#include "trace/selection.h"
#include "trace/trace.h"

namespace lockstep::cli {

struct SelectionOptions {
  std::string slice = {};
  std::string ranks = {};
  std::string devices = {};
  std::string kinds = {};

  void add_to(OptionTable& table);
  void add_places_to(OptionTable& table);  // all but --kinds, for analyses that choose the kinds
  [[nodiscard]] bool is_given() const;
  // What the words mean on this trace: steps are looked up, ranks and devices must be there.
  [[nodiscard]] Result<trace::Selection> resolve(const trace::Trace& trace) const;
  // Drops the rest of the trace; a usage error where nothing would be left.
  [[nodiscard]] Status apply(trace::Trace& trace) const;
};

// Why there is nothing to analyse: the selection leaves no kernel, or the inputs hold none.
[[nodiscard]] Error no_kernels(std::span<const std::string> inputs,
                               const SelectionOptions& selection, const Diagnostics& health);
// What to do with an input that holds no kernels, by what was met when it was read.
[[nodiscard]] std::string no_kernels_remedy(const Diagnostics& health);

// "250ms", "1.5s", "12us", "7ns" as picoseconds; nothing when it is no such time.
[[nodiscard]] std::optional<Time> parse_duration(std::string_view text);

// "0,2-4" as numbers; a usage error that names `option` otherwise.
[[nodiscard]] Result<std::set<std::int64_t>> parse_numbers(std::string_view text,
                                                           std::string_view option);

}  // namespace lockstep::cli
