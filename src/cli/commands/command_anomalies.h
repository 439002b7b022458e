// `lockstep anomalies`: where does the device idle or starve, and what may be behind it?
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_anomalies_command();

}  // namespace lockstep::cli
