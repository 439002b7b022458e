// How loops were looked for, as the JSON documents echo it.
#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "analysis/cycles/cycles.h"

namespace lockstep {

[[nodiscard]] std::string_view name_of(CycleMethod method);  // "repetitions", "anchor"
[[nodiscard]] std::string_view name_of(CycleMode mode);      // "auto", "prefill", "decode"

[[nodiscard]] nlohmann::ordered_json cycles_parameters(const CyclesOptions& options);

}  // namespace lockstep
