// `lockstep info`: what is in a trace, and is it whole?
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_info_command();

}  // namespace lockstep::cli
