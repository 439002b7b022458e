// `lockstep convert`: the same trace in another format.
#pragma once

#include <memory>

#include "cli/subcommand.h"

namespace lockstep::cli {

[[nodiscard]] std::unique_ptr<Subcommand> make_convert_command();

}  // namespace lockstep::cli
