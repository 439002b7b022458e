// A comparison as one JSON document, schema "lockstep.compare/2" (docs/reference/compare.md).
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "io/byte_sink.h"
#include "report/compare/compare_view.h"

namespace lockstep::report::compare {

// `fail_on_percent` is echoed with what it found.
[[nodiscard]] std::string compare_json(const ComparedTraces& compared,
                                       const analysis::cycles::CyclesOptions& options,
                                       std::optional<double> fail_on_percent);
// The same into a sink as it is made, which stays open: of many devices it is long.
[[nodiscard]] Status write_compare_json(const ComparedTraces& compared,
                                        const analysis::cycles::CyclesOptions& options,
                                        std::optional<double> fail_on_percent, io::ByteSink& sink);

}  // namespace lockstep::report::compare
