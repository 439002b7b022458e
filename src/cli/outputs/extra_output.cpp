// Records, checks and lines of outputs, by their kind.
#include "cli/outputs/extra_output.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/console.h"
#include "cli/options/output_formats.h"
#include "cli/outputs/output_checks.h"
#include "formats/perfetto/write/perfetto_writer.h"
#include "io/standard_streams.h"

namespace lockstep::cli {
namespace {

Option output_option(OutputKind kind) {
  switch (kind) {
    case OutputKind::kTable:
      return {.names = "--csv", .value = "FILE"};
    case OutputKind::kTables:
      return {.names = "--csv", .value = "DIR"};
    case OutputKind::kWorkbook:
      return {.names = "--xlsx", .value = "FILE"};
    case OutputKind::kMarkdown:
      return {.names = "--markdown",
              .value = "FILE",
              .help = "also write the report as Markdown",
              .details = "also the report as a file of Markdown"};
    case OutputKind::kAnnotated:
      return {.names = "--annotate", .value = "OUT"};
    case OutputKind::kTimeline:
      return {.names = "--perfetto", .value = "OUT"};
    case OutputKind::kPicture:
      return {.names = "--svg", .value = "OUT"};
    case OutputKind::kReport:
      return {.names = "-o,--output", .value = "OUT"};
  }
  return {};
}

Status check_name(OutputKind kind, const std::string& path) {
  if (kind == OutputKind::kWorkbook) return check_xlsx_name(path);
  if (kind == OutputKind::kAnnotated) return check_annotated_name(path);
  return {};
}

}  // namespace

ExtraOutput::ExtraOutput(OutputKind kind, std::string help, std::string details)
    : kind_(kind), option_(output_option(kind)) {
  if (!help.empty()) option_.help = std::move(help);
  if (!details.empty()) option_.details = std::move(details);
  option_.completion = kind == OutputKind::kTables ? Completion::kFolder : Completion::kFile;
}

ExtraOutput ExtraOutput::annotated(std::string_view tracks) {
  return ExtraOutput(
      OutputKind::kAnnotated,
      fmt::format("also write the trace as Perfetto, with tracks for {}", tracks),
      fmt::format("also the trace (or the selected part) as Perfetto, with tracks for {}; "
                  "`.pftrace`, `.perfetto-trace`, `.perfetto` or `.pb`, and `.gz` or `.zst` "
                  "after it",
                  tracks));
}

void ExtraOutput::add_to(OptionTable& table) {
  option_.target = &path_;
  table.add(option_);
}

std::string_view ExtraOutput::option_name() const { return names_of(option_).front(); }

// `-o -` is what is done without it. Other names of standard output are let through where nothing
// is read: they may lead to an input.
bool ExtraOutput::is_printed_report(std::span<const std::string> inputs) const {
  if (kind_ != OutputKind::kReport) return false;
  return path_ == "-" || (inputs.empty() && io::is_standard_output(*path_));
}

Status ExtraOutput::open(std::span<const std::string> inputs) {
  if (!is_printed_report(inputs)) {
    LOCKSTEP_RETURN_IF_ERROR(check_extra_output(option_name(), *path_, inputs));
  }
  LOCKSTEP_RETURN_IF_ERROR(check_name(kind_, *path_));
  if (!is_file()) return {};
  LOCKSTEP_ASSIGN_OR_RETURN(sink_, io::open_output(*path_));
  return {};
}

Status ExtraOutput::close() { return is_file() ? sink_->close() : write_folder(*path_, files_); }

Status ExtraOutput::write(std::string_view content) { return sink_->write(content); }

Status ExtraOutput::write(const std::vector<report::sinks::XlsxSheet>& sheets) {
  what_ = counted(sheets.size(), "sheet");
  return report::sinks::write_xlsx(sheets, *sink_);
}

Status ExtraOutput::write(const trace::Trace& trace, std::size_t before) {
  what_ = fmt::format("{} and {}", counted(before, "event"),
                      counted(trace.events.size() - before, "annotation"));
  return formats::perfetto::write_perfetto(trace, *sink_);
}

void ExtraOutput::hold(std::vector<report::sinks::CsvFile> files) {
  what_ = counted(files.size(), "file");
  files_ = std::move(files);
}

std::vector<ExtraOutput*> ExtraOutputs::asked() const {
  std::vector<ExtraOutput*> asked;
  for (ExtraOutput* const output : outputs_) {
    if (output->is_asked()) asked.push_back(output);
  }
  return asked;
}

Status ExtraOutputs::open(std::span<const std::string> inputs) {
  const std::vector<ExtraOutput*> all = asked();
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      LOCKSTEP_RETURN_IF_ERROR(
          check_two_outputs({all[i]->option_name(), *all[i]->path_, !all[i]->is_file()},
                            {all[j]->option_name(), *all[j]->path_, !all[j]->is_file()}));
    }
  }
  for (ExtraOutput* const output : all) LOCKSTEP_RETURN_IF_ERROR(output->open(inputs));
  return {};
}

Status ExtraOutputs::check(std::span<const formats::input::InputFacts> inputs) const {
  for (const ExtraOutput* const output : asked()) {
    if (!output->is_file()) continue;
    LOCKSTEP_RETURN_IF_ERROR(check_extra_output(output->option_name(), *output->path_, inputs));
  }
  return {};
}

Status ExtraOutputs::close() {
  for (ExtraOutput* const output : asked()) LOCKSTEP_RETURN_IF_ERROR(output->close());
  return {};
}

bool ExtraOutputs::is_any_asked() const { return !asked().empty(); }

std::string ExtraOutputs::with_lines(std::string report) const {
  std::string lines;
  for (const ExtraOutput* const output : asked()) {
    if (output->kind_ == OutputKind::kReport) continue;
    lines += wrote_line(*output->path_, output->what_);
  }
  return lines.empty() ? report : report + "\n" + lines;
}

}  // namespace lockstep::cli
