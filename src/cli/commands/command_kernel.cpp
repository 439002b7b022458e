// The list of the commands on in-kernel profiles.
#include "cli/commands/command_kernel.h"

#include "base/result.h"
#include "cli/commands/command_kernel_decode.h"
#include "cli/commands/command_kernel_overhead.h"

namespace lockstep::cli {
namespace {

class KernelCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "kernel"; }
  [[nodiscard]] std::string_view arguments() const override { return "COMMAND [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "look inside one launch: where its cycles go, lane by lane";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "On what was recorded inside kernels by markers: those of lockstep's own header, and "
           "of\n"
           "other in-kernel profilers.";
  }
  [[nodiscard]] Subcommands family() const override {
    Subcommands commands;
    commands.push_back(make_kernel_decode_command());
    commands.push_back(make_kernel_overhead_command());
    return commands;
  }
  void add_options(OptionTable&) override {}
  // Never called: a family only lists its commands.
  [[nodiscard]] Result<ExitCode> run() override { return ExitCode::kUsage; }
};

}  // namespace

std::unique_ptr<Subcommand> make_kernel_command() { return std::make_unique<KernelCommand>(); }

}  // namespace lockstep::cli
