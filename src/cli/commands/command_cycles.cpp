// Parses the words of `cycles`, finds the loops, and hands them to the sinks that were asked for.
#include "cli/commands/command_cycles.h"

#include <memory>
#include <string>
#include <vector>

#include "analysis/cycles/cycles.h"
#include "analysis/summary/summary.h"
#include "cli/console.h"
#include "cli/options/cycles_options.h"
#include "cli/options/selection_options.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/extra_output.h"
#include "formats/input/load.h"
#include "report/cycles/cycles_annotate.h"
#include "report/cycles/cycles_csv.h"
#include "report/cycles/cycles_json.h"
#include "report/cycles/cycles_page.h"
#include "report/cycles/cycles_view.h"
#include "report/cycles/cycles_xlsx.h"

namespace lockstep::cli {
namespace {

class CyclesCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "cycles"; }
  [[nodiscard]] std::string_view arguments() const override { return "INPUT... [options]"; }
  [[nodiscard]] std::string_view one_line() const override {
    return "find the loops that a device runs: steps, forward passes, layers";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Finds what repeats in the kernels of every device stream, without markers or stacks, "
           "also\n"
           "in graph replays: steps, forward passes and layers, with exact iteration times, what\n"
           "phase they belong to (prefill, decode, forward, backward, ...) and on which evidence,\n"
           "regimes, outliers, and the kernels that take the time.\n"
           "\n"
           "An INPUT is a file, a directory of traces, or - for standard input. Several inputs "
           "are\n"
           "ranks of one run.\n"
           "\n"
           "Examples:\n"
           "  lockstep cycles trace.json.gz\n"
           "  lockstep cycles trace.json.gz --mode decode --csv cycles/\n"
           "  lockstep cycles trace.json.gz --annotate with_passes.pftrace\n"
           "  lockstep cycles --json trace.json.gz | jq '.streams[].loops[] | {role, period}'";
  }

  void add_options(OptionTable& table) override {
    table.add(inputs_option(inputs_));
    table.add(json_option(json_, "lockstep.cycles/2"));
    csv_.add_to(table);
    xlsx_.add_to(table);
    markdown_.add_to(table);
    annotate_.add_to(table);
    Option top = top_option(&top_, "positions to list");
    top.details = "positions of the main loop, and of the layers in it, to list; 0 for all";
    table.add(std::move(top));
    table.add({.names = "--all",
               .target = &all_,
               .help = "show also short loops and quiet streams",
               .details = "show also the loops and streams that the text leaves out"});
    flags_.add_to(table);
    selection_.add_places_to(table);
    table.add(full_names_option(full_names_));
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    if (inputs_.empty()) return needs_trace(name());
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(const analysis::cycles::CyclesOptions options, flags_.resolve());
    LOCKSTEP_RETURN_IF_ERROR(outputs_.open(inputs_));
    LOCKSTEP_ASSIGN_OR_RETURN(formats::input::LoadedTrace loaded,
                              formats::input::load(inputs_, load_options()));
    LOCKSTEP_RETURN_IF_ERROR(outputs_.check(loaded.inputs));
    // Of the whole trace: the input is not to blame for what a selection leaves out.
    const Diagnostics diagnostics = analysis::summary::check(loaded.trace);
    LOCKSTEP_RETURN_IF_ERROR(selection_.apply(loaded.trace));
    const analysis::cycles::Cycles cycles = analysis::cycles::find_cycles(loaded.trace, options);
    if (cycles.streams.empty()) return no_kernels(inputs_, selection_, diagnostics);
    LOCKSTEP_RETURN_IF_ERROR(write_files(cycles, loaded.inputs, loaded.trace));
    const std::string out = rendered(cycles, options, loaded.inputs);
    LOCKSTEP_RETURN_IF_ERROR(outputs_.close());
    LOCKSTEP_RETURN_IF_ERROR(print(out));
    warn_about(diagnostics, loaded.inputs.size());
    if (const std::string words = report::cycles::left_out_words(cycles); !words.empty())
      complain(words);
    return shared_.exit_code(diagnostics);
  }

 private:
  [[nodiscard]] formats::input::LoadOptions load_options() const {
    formats::input::LoadOptions options = shared_.load_options();
    // What is written again is written whole.
    if (annotate_.is_asked()) options.keep_arguments = trace::KeepArguments::kAll;
    return options;
  }

  [[nodiscard]] Status write_files(const analysis::cycles::Cycles& cycles,
                                   const std::vector<formats::input::InputFacts>& inputs,
                                   trace::Trace& trace) {
    if (csv_.is_asked()) csv_.hold(report::cycles::cycles_csv(cycles));
    if (xlsx_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(xlsx_.write(report::cycles::cycles_sheets(cycles, all_)));
    }
    if (markdown_.is_asked()) {
      LOCKSTEP_RETURN_IF_ERROR(
          markdown_.write(report::cycles::cycles_markdown(cycles, inputs, {top_, all_})));
    }
    if (!annotate_.is_asked()) return {};
    const std::size_t before = trace.events.size();
    report::cycles::annotate_cycles(cycles, trace);
    return annotate_.write(trace, before);
  }

  [[nodiscard]] std::string rendered(const analysis::cycles::Cycles& cycles,
                                     const analysis::cycles::CyclesOptions& options,
                                     const std::vector<formats::input::InputFacts>& inputs) const {
    if (json_) return report::cycles::cycles_json(cycles, options, inputs);
    return outputs_.with_lines(
        report::cycles::cycles_text(cycles, inputs, {top_, all_}, console_style(full_names_)));
  }

  std::vector<std::string> inputs_;
  bool json_ = false;
  bool full_names_ = false;
  bool all_ = false;
  ExtraOutput csv_{OutputKind::kTables, "also write one CSV file a loop into this folder",
                   "also one CSV file a loop into this folder, which is made where it is missing. "
                   "Files of equal loops end in `_2`, `_3`; the cycle time in their head is kernel "
                   "time, as scripts for such files expect"};
  ExtraOutput xlsx_{OutputKind::kWorkbook, "also write a workbook",
                    "also a workbook: all loops, all phases, and a sheet for the body of each "
                    "shown loop, 250 sheets at most; what is left out is said in the last row"};
  ExtraOutput annotate_ = ExtraOutput::annotated("what was found");
  ExtraOutput markdown_{OutputKind::kMarkdown};
  ExtraOutputs outputs_{&csv_, &xlsx_, &markdown_, &annotate_};
  std::uint32_t top_ = 10;
  CyclesFlags flags_;
  SelectionOptions selection_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_cycles_command() { return std::make_unique<CyclesCommand>(); }

}  // namespace lockstep::cli
