// Parses the words of `convert`, reads one trace and writes it again.
#include "cli/commands/command_convert.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "analysis/summary/summary.h"
#include "base/text.h"
#include "cli/commands/xspace_convert.h"
#include "cli/console.h"
#include "cli/options/output_formats.h"
#include "cli/options/selection_options.h"
#include "cli/options/shared_options.h"
#include "cli/outputs/output_checks.h"
#include "formats/chrome_json/write/chrome_json_writer.h"
#include "formats/input/load.h"
#include "io/byte_sink.h"
#include "io/input.h"
#include "io/standard_streams.h"

namespace lockstep::cli {
namespace {

std::string size_words(const std::string& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? "" : ", " + human_bytes(bytes);
}

std::vector<std::string> format_words() {
  std::vector<std::string> words;
  for (const OutputFormat& format : output_formats()) words.emplace_back(format.name);
  return words;
}

class ConvertCommand : public Subcommand {
 public:
  [[nodiscard]] std::string_view name() const override { return "convert"; }
  [[nodiscard]] std::string_view arguments() const override {
    return "INPUT... -o OUTPUT [options]";
  }
  [[nodiscard]] std::string_view one_line() const override {
    return "write a trace as Chrome JSON, Perfetto protobuf or XSpace";
  }
  [[nodiscard]] std::string_view long_help() const override {
    return "Reads a trace and writes it in another format, exact times kept. The format is told "
           "by\n"
           "the name of OUTPUT: .json and .trace are Chrome JSON, .pftrace, .perfetto-trace,\n"
           ".perfetto and .pb are Perfetto, .xplane.pb is XSpace; .gz or .zst after it compress.\n"
           "OUTPUT appears whole or not at all.\n"
           "\n"
           "INPUT may be - for standard input, OUTPUT may be - for standard output (with --to).\n"
           "Several inputs are ranks of one run. --slice, --ranks, --devices and --kinds write a "
           "part\n"
           "of it.\n"
           "\n"
           "Examples:\n"
           "  lockstep convert trace.json.gz -o trace.pftrace\n"
           "  lockstep convert damaged.json -o repaired.json.gz\n"
           "  lockstep convert trace.json.gz -o step.pftrace --slice ProfilerStep#4\n"
           "  lockstep convert run/ -o small.pftrace --slice 1.5s..2s --ranks 0,3";
  }

  void add_options(OptionTable& table) override {
    table.add(inputs_option(inputs_));
    table.add({.names = "-o,--output",
               .target = &output_,
               .value = "OUTPUT",
               .help = "where to write",
               .completion = Completion::kFile});
    table.add({.names = "--to",
               .target = &to_,
               .value = "FORMAT",
               .help = "chrome, perfetto or xspace, whatever OUTPUT is called",
               .details = "`chrome`, `perfetto` or `xspace`, whatever the name of OUTPUT says",
               .words = format_words()});
    selection_.add_to(table);
    shared_.add_to(table);
  }

  [[nodiscard]] Result<ExitCode> run() override {
    LOCKSTEP_RETURN_IF_ERROR(check_words());
    LOCKSTEP_ASSIGN_OR_RETURN(const OutputFormat* format, choose_output_format(output_, to_));
    if (format->name == "xspace" && inputs_.size() == 1 && !io::is_directory(inputs_[0])) {
      LOCKSTEP_ASSIGN_OR_RETURN(const auto input, XSpaceInput::open(inputs_[0]));
      if (input->is_xspace()) return rewrite(*format, *input);
      return convert(*format, input->path());
    }
    return convert(*format, {});
  }

 private:
  // Reads the inputs and writes what was read. `standard_input` is a file that holds what came
  // through it, if it was read already.
  [[nodiscard]] Result<ExitCode> convert(const OutputFormat& format,
                                         const std::string& standard_input) const {
    // Opened before the reading: an output that cannot be written is told at once.
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSink> sink, io::open_output(output_));
    return convert(format, standard_input, *sink);
  }

  [[nodiscard]] Result<ExitCode> convert(const OutputFormat& format,
                                         const std::string& standard_input,
                                         io::ByteSink& sink) const {
    formats::input::LoadOptions options = shared_.load_options();
    options.keep_arguments = trace::KeepArguments::kAll;
    options.standard_input = standard_input;
    LOCKSTEP_ASSIGN_OR_RETURN(formats::input::LoadedTrace loaded,
                              formats::input::load(inputs_, options));
    // A directory names its files only now.
    for (const formats::input::InputFacts& input : loaded.inputs) {
      for (const std::string& file : input.files) {
        LOCKSTEP_RETURN_IF_ERROR(check_no_input("-o", output_, file));
      }
    }
    const Diagnostics diagnostics = findings(loaded.trace);
    LOCKSTEP_ASSIGN_OR_RETURN(const trace::Selection selection, selection_.resolve(loaded.trace));
    LOCKSTEP_RETURN_IF_ERROR(selection_.apply(loaded.trace));
    LOCKSTEP_RETURN_IF_ERROR(check_ranks(format, loaded.trace));
    forget_steps_left_out(format, selection, loaded.trace);
    LOCKSTEP_RETURN_IF_ERROR(format.write(loaded.trace, sink));
    LOCKSTEP_RETURN_IF_ERROR(sink.close());
    LOCKSTEP_RETURN_IF_ERROR(tell(loaded.trace, io::is_standard_output(output_)));
    return warned(diagnostics, loaded.inputs.size());
  }

  // An XSpace that becomes an XSpace is rewritten on the wire. Without a selection and without
  // --strict it is not even read. Several ranks have a zero each, which
  // a cut on the wire has not: a part of those is taken from the model.
  [[nodiscard]] Result<ExitCode> rewrite(const OutputFormat& format,
                                         const XSpaceInput& input) const {
    LOCKSTEP_ASSIGN_OR_RETURN(const std::unique_ptr<io::ByteSink> sink, io::open_output(output_));
    if (!selection_.is_given() && !shared_.strict) {
      LOCKSTEP_RETURN_IF_ERROR(input.copy(*sink));
      LOCKSTEP_RETURN_IF_ERROR(finish_rewriting(input, *sink));
      return ExitCode::kDone;
    }
    formats::input::LoadOptions options = shared_.load_options();
    options.standard_input = input.path();
    LOCKSTEP_ASSIGN_OR_RETURN(formats::input::LoadedTrace loaded,
                              formats::input::load(inputs_, options));
    const Diagnostics diagnostics = findings(loaded.trace);
    if (!selection_.is_given()) {
      LOCKSTEP_RETURN_IF_ERROR(input.copy(*sink));
    } else if (loaded.trace.ranks.size() > 1) {
      loaded = {};
      return convert(format, input.path(), *sink);
    } else {
      LOCKSTEP_ASSIGN_OR_RETURN(const trace::Selection selection, selection_.resolve(loaded.trace));
      const Origin origin = loaded.trace.ranks.front().origin;
      LOCKSTEP_RETURN_IF_ERROR(selection_.apply(loaded.trace));
      LOCKSTEP_RETURN_IF_ERROR(input.cut(selection, origin, *sink));
    }
    LOCKSTEP_RETURN_IF_ERROR(finish_rewriting(input, *sink));
    return warned(diagnostics, loaded.inputs.size());
  }

  [[nodiscard]] Status finish_rewriting(const XSpaceInput& input, io::ByteSink& sink) const {
    LOCKSTEP_RETURN_IF_ERROR(input.check_unchanged());
    LOCKSTEP_RETURN_IF_ERROR(sink.close());
    return tell_written("the XSpace rewritten", io::is_standard_output(output_));
  }

  // The same checks as in info, so that --strict means the same; of the whole trace, because the
  // input is not to blame for what a selection leaves out.
  [[nodiscard]] static Diagnostics findings(const trace::Trace& trace) {
    return analysis::summary::check(trace);
  }

  [[nodiscard]] ExitCode warned(const Diagnostics& diagnostics, std::size_t inputs) const {
    warn_about(diagnostics, inputs);
    return shared_.exit_code(diagnostics);
  }

  [[nodiscard]] Status check_words() const {
    if (inputs_.empty()) return needs_trace(name());
    if (output_.empty()) {
      return usage_error("convert needs -o OUTPUT", "Try 'lockstep convert --help'");
    }
    LOCKSTEP_RETURN_IF_ERROR(check_inputs(inputs_));
    for (const std::string& input : inputs_) {
      LOCKSTEP_RETURN_IF_ERROR(check_no_input("-o", output_, input));
    }
    return {};
  }

  // Chrome JSON has steps as annotations only, which the kinds that were asked for may leave out.
  static void forget_steps_left_out(const OutputFormat& format, const trace::Selection& selection,
                                    trace::Trace& trace) {
    const bool has_annotations =
        !selection.kinds || (*selection.kinds)[static_cast<std::size_t>(trace::Kind::kAnnotation)];
    if (format.is_of_one_rank && !has_annotations) trace.steps.clear();
  }

  [[nodiscard]] static Status check_ranks(const OutputFormat& format, const trace::Trace& trace) {
    if (!format.is_of_one_rank || formats::chrome_json::is_one_chrome_file(trace)) return {};
    return usage_error(fmt::format("the format {} holds one rank a file, and here are {} traces",
                                   format.name, grouped(trace.ranks.size())),
                       "Convert them one by one, or write them as perfetto");
  }

  // On standard output, unless the trace itself goes there.
  [[nodiscard]] Status tell(const trace::Trace& trace, bool is_piped) const {
    return tell_written(fmt::format("{}, {}", counted(trace.events.size(), "event"),
                                    counted(trace.flows.size(), "flow")),
                        is_piped);
  }

  [[nodiscard]] Status tell_written(std::string_view what, bool is_piped) const {
    if (!is_piped)
      return print(wrote_line(output_, fmt::format("{}{}", what, size_words(output_))));
    complain(fmt::format("wrote standard output: {}", what));
    return {};
  }

  std::vector<std::string> inputs_;
  std::string output_;
  std::string to_;
  SelectionOptions selection_;
  SharedOptions shared_;
};

}  // namespace

std::unique_ptr<Subcommand> make_convert_command() { return std::make_unique<ConvertCommand>(); }

}  // namespace lockstep::cli
