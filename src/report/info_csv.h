// The kernel table of a summary as CSV (RFC 4180).
#pragma once

#include <string>
#include <string_view>

#include "analysis/summary/summary.h"

namespace lockstep {

[[nodiscard]] std::string info_csv(const Summary& summary);

// One field, quoted where its text needs it.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace lockstep
