// Parses the words of `anomalies`, finds them, and hands them to the sinks that were asked for.
#include "cli/command_anomalies.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/anomalies/anomalies.h"
#include "analysis/summary/summary.h"
#include "base/text.h"
#include "cli/anomalies_options.h"
#include "cli/console.h"
#include "cli/extra_outputs.h"
#include "cli/output_formats.h"
#include "cli/selection_options.h"
#include "cli/shared_options.h"
#include "formats/load.h"
#include "io/byte_sink.h"
#include "report/anomalies_json.h"
#include "report/quantities.h"

namespace lockstep {
namespace {

class AnomaliesCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "anomalies"; }
  [[nodiscard]] std::string_view arguments() const override { return "INPUT... [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "find where a device idles or starves, and what may be behind it";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Finds the gaps (bubbles) in the work of every device, step by step: before a step's "
           "first\n"
           "kernel, inside it, behind it and between steps. That a bubble is there is a fact; "
           "what\n"
           "the host did in it, who launched the kernel after it and which part of that came late "
           "is\n"
           "told with it; what may be behind it is a guess with its grade. Steps that stand out "
           "of\n"
           "their group, places that stall again and again, waits that only look like work, and "
           "idle\n"
           "time that is an artefact of the recording are named.\n"
           "\n"
           "An INPUT is a file, a directory of traces, or - for standard input. Several inputs "
           "are\n"
           "ranks of one run.\n"
           "\n"
           "Examples:\n"
           "  lockstep anomalies trace.json.gz\n"
           "  lockstep anomalies trace.json.gz --bubbles 3 --markdown stalls.md\n"
           "  lockstep anomalies trace.json.gz --annotate with_bubbles.pftrace\n"
           "  lockstep anomalies trace.json.gz --threshold heavy_gap_us=500 --fail-on P1\n"
           "  lockstep anomalies --json trace.json.gz | jq '.anomaly_discovery.findings[].text'";
  }

  void add_options(CLI::App& app) override {
    app.add_option("INPUT", inputs_, "trace files, directories of traces, or -");
    app.add_flag("--json", json_, "print one JSON document, schema lockstep.anomalies/1");
    flags_.add_to(app);
    selection_.add_places_to(app);
    shared_.add_to(app);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    if (inputs_.empty()) {
      return usage_error("anomalies needs a trace", "Try 'lockstep anomalies --help'");
    }
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const AnomaliesOptions options, flags_.resolve());
    LOCKSTEP_ASSIGN_OR_RETURN(const std::optional<Priority> fail_on, flags_.fail_on());
    LOCKSTEP_ASSIGN_OR_RETURN(const BubbleLimit bubbles, flags_.bubbles(kBubblesPerGroup));
    LOCKSTEP_ASSIGN_OR_RETURN(LoadedTrace loaded, load(inputs_, load_options()));
    // Of the whole trace: the input is not to blame for what a selection leaves out.
    const Diagnostics diagnostics = summarize(loaded.trace).diagnostics;
    LOCKSTEP_RETURN_IF_ERROR(selection_.apply(loaded.trace));
    const Anomalies anomalies = find_anomalies(loaded.trace, options);
    if (anomalies.devices.empty()) return no_kernels();
    const AnomaliesReport report{anomalies, options, loaded.trace, loaded.inputs};
    LOCKSTEP_RETURN_IF_ERROR(print(rendered(report, bubbles)));
    warn_about(diagnostics, loaded.inputs.size());
    return ended(anomalies, fail_on, diagnostics);
  }

 private:
  [[nodiscard]] LoadOptions load_options() const { return shared_.load_options(); }

  [[nodiscard]] Error no_kernels() const {
    if (selection_.is_given()) {
      return usage_error("the selection holds no kernel of the trace",
                         "'lockstep info' tells its span, steps and devices");
    }
    const std::string where = inputs_.size() == 1 ? inputs_.front() : "the inputs";
    return input_error(where, inputs_.size() == 1 ? "holds no kernels" : "hold no kernels",
                       "'lockstep info' tells what is there");
  }

  [[nodiscard]] std::string rendered(const AnomaliesReport& report, BubbleLimit bubbles) const {
    return anomalies_json(report, bubbles);
  }

  // Losses of an input make what was found doubtful: they come before it.
  [[nodiscard]] ExitCode ended(const Anomalies& anomalies, std::optional<Priority> fail_on,
                               const Diagnostics& diagnostics) const {
    const ExitCode code = shared_.exit_code(diagnostics);
    if (code != ExitCode::kDone || !fail_on || !has_finding(anomalies, *fail_on)) return code;
    complain(fmt::format("something of priority {} or higher was found", name_of(*fail_on)));
    return ExitCode::kFinding;
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  AnomaliesFlags flags_;
  SelectionOptions selection_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_anomalies_command() {
  return std::make_unique<AnomaliesCommand>();
}

}  // namespace lockstep
