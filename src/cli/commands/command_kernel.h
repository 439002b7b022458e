// `lockstep kernel`: what happens inside one launch; the family of its commands.
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_kernel_command();

}  // namespace lockstep::cli
