// Measures on the device of this machine and prints, or says that there is none.
#include "cli/commands/command_kernel_overhead.h"

#include <memory>
#include <optional>
#include <string>

#include "cli/commands/measure_markers.h"
#include "cli/console.h"
#include "cli/options/shared_options.h"
#include "io/byte_sink.h"
#include "report/kernel/kernel_overhead.h"

namespace lockstep::cli {
namespace {

class KernelOverheadCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "kernel overhead"; }
  [[nodiscard]] std::string_view arguments() const override { return "[options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "measure what a marker costs on the device of this machine";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Runs every variant of markers on the device of this machine, in blocks of 1 to 32 "
           "warps "
           "that\n"
           "all mark, and tells how many cycles one takes. It needs NVIDIA's driver and nothing "
           "else.\n"
           "\n"
           "Examples:\n"
           "  lockstep kernel overhead\n"
           "  lockstep kernel overhead --json -o h200.json\n"
           "  lockstep kernel decode gemm.lkp --overhead h200.json";
  }

  void add_options(OptionTable& table) override {
    table.add(json_option(json_, "lockstep.kernel-overhead/1"));
    table.add({.names = "-o,--output",
               .target = &output_,
               .value = "FILE",
               .help = "write it here, not to standard output",
               .details = "it goes there, not to standard output",
               .completion = Completion::kFile});
  }

  [[nodiscard]] Result<ExitCode> run() override {
    if (output_ && output_->empty()) return usage_error("the name after -o is empty");
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSink> sink,
                              io::open_output(output_.value_or("-")));
    LOCKSTEP_ASSIGN_OR_RETURN(const report::kernel::MarkerCosts costs, measure_markers());
    LOCKSTEP_RETURN_IF_ERROR(
        sink->write(json_ ? report::kernel::kernel_overhead_json(costs)
                          : report::kernel::kernel_overhead_text(costs, console_style())));
    LOCKSTEP_RETURN_IF_ERROR(sink->close());
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
  std::optional<std::string> output_;
};

}  // namespace

std::unique_ptr<Subcommand> make_kernel_overhead_command() {
  return std::make_unique<KernelOverheadCommand>();
}

}  // namespace lockstep::cli
