// The list of all commands.
#include "cli/commands/command_anomalies.h"
#include "cli/commands/command_compare.h"
#include "cli/commands/command_convert.h"
#include "cli/commands/command_cycles.h"
#include "cli/commands/command_info.h"
#include "cli/commands/command_kernel.h"
#include "cli/subcommand.h"

namespace lockstep::cli {

Subcommands builtin_subcommands() {
  Subcommands commands;
  commands.push_back(make_info_command());
  commands.push_back(make_convert_command());
  commands.push_back(make_cycles_command());
  commands.push_back(make_compare_command());
  commands.push_back(make_anomalies_command());
  commands.push_back(make_kernel_command());
  return commands;
}

}  // namespace lockstep::cli
