// Measures on the device of this machine and prints, or says that there is none.
#include "cli/commands/command_kernel_overhead.h"

#include <memory>
#include <string>

#include "cli/commands/measure_markers.h"
#include "cli/console.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/extra_output.h"
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
    markdown_.add_to(table);
    output_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    LOCKSTEP_RETURN_IF_ERROR(outputs_.open({}));
    LOCKSTEP_ASSIGN_OR_RETURN(const report::kernel::MarkerCosts costs, measure_markers());
    if (markdown_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(markdown_.write(report::kernel::kernel_overhead_markdown(costs)));
    }
    const std::string report = json_ ? report::kernel::kernel_overhead_json(costs)
                                     : report::kernel::kernel_overhead_text(costs, console_style());
    if (output_.is_asked()) LOCKSTEP_RETURN_IF_ERROR(output_.write(report));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.close());
    if (!output_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(print(json_ ? report : outputs_.with_lines(report)));
    }
    return ExitCode::kDone;
  }

 private:
  bool json_ = false;
  ExtraOutput markdown_{OutputKind::kMarkdown};
  ExtraOutput output_{OutputKind::kReport, "write it here, not to standard output",
                      "it goes there, not to standard output"};
  ExtraOutputs outputs_{&markdown_, &output_};
};

}  // namespace

std::unique_ptr<Subcommand> make_kernel_overhead_command() {
  return std::make_unique<KernelOverheadCommand>();
}

}  // namespace lockstep::cli
