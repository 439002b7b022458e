// `lockstep kernel overhead`: what a marker costs on this machine.
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_kernel_overhead_command();

}  // namespace lockstep::cli
