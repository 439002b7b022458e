// `lockstep compare`: what changed between two traces?
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_compare_command();

}  // namespace lockstep::cli
