// `lockstep cycles`: which loops does the device run?
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_cycles_command();

}  // namespace lockstep::cli
