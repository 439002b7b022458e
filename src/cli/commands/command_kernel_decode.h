// `lockstep kernel decode`: where the time goes inside launches, from what markers recorded.
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_kernel_decode_command();

}  // namespace lockstep::cli
