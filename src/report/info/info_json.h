// The summary as one JSON document, schema "lockstep.info/2" (docs/reference/info.md).
#pragma once

#include <span>
#include <string>

#include "analysis/summary/summary.h"
#include "base/result.h"
#include "formats/input/load.h"
#include "io/byte_sink.h"

namespace lockstep::report::info {

[[nodiscard]] std::string info_json(const analysis::summary::Summary& summary,
                                    std::span<const formats::input::InputFacts> inputs);
// The same document into a sink, which stays open.
[[nodiscard]] Status write_info_json(const analysis::summary::Summary& summary,
                                     std::span<const formats::input::InputFacts> inputs,
                                     io::ByteSink& sink);

}  // namespace lockstep::report::info
