// How loops were looked for, as the JSON documents echo it.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "analysis/cycles/cycles.h"

namespace lockstep::report::cycles {

[[nodiscard]] std::string_view name_of(
    analysis::cycles::CycleMethod method);  // "repetitions", "anchor"
[[nodiscard]] std::string_view name_of(
    analysis::cycles::CycleMode mode);  // "auto", "prefill", "decode"

[[nodiscard]] nlohmann::ordered_json cycles_parameters(
    const analysis::cycles::CyclesOptions& options);

}  // namespace lockstep::report::cycles
