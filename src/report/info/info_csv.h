// The kernel table of a summary as CSV (RFC 4180).
#pragma once

#include <string>

#include "analysis/summary/summary.h"

namespace lockstep::report::info {

[[nodiscard]] std::string info_csv(const analysis::summary::Summary& summary);

}  // namespace lockstep::report::info
