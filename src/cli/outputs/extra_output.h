// What a command writes beside its report, if it is asked to: the option, the name that it was
// given, the checks of that name, the open file, and the line that says what was written.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options/option_table.h"
#include "formats/input/load.h"
#include "io/byte_sink.h"
#include "report/sinks/csv_text.h"
#include "report/sinks/xlsx_book.h"
#include "trace/trace.h"

namespace lockstep::cli {

// The kind decides the option and what its name may be.
enum class OutputKind {
  kTable,      // --csv FILE; - prints it instead of the report
  kTables,     // --csv DIR, which is made where it is missing
  kWorkbook,   // --xlsx FILE
  kMarkdown,   // --markdown FILE
  kAnnotated,  // --annotate OUT: the trace with what was found, as Perfetto
  kTimeline,   // --perfetto OUT
  kPicture,    // --svg OUT
  kReport,     // -o OUT: the report itself; - is standard output
};

// Lies in its command and stays there: the record of the option points into it.
class ExtraOutput {
 public:
  // `help` and `details` as in Option; --markdown has words of its own.
  explicit ExtraOutput(OutputKind kind, std::string help = {}, std::string details = {});
  // --annotate; `tracks` says what the added ones are for.
  [[nodiscard]] static ExtraOutput annotated(std::string_view tracks);
  ExtraOutput(const ExtraOutput&) = delete;
  ExtraOutput& operator=(const ExtraOutput&) = delete;

  void add_to(OptionTable& table);

  [[nodiscard]] bool is_asked() const { return path_ && !replaces_report(); }
  // `--csv -`: nothing is written beside the report.
  [[nodiscard]] bool replaces_report() const { return kind_ == OutputKind::kTable && path_ == "-"; }

  // Only where it is asked for, after ExtraOutputs::open(). Nothing has its name before close().
  [[nodiscard]] io::ByteSink& sink() const { return *sink_; }
  [[nodiscard]] Status write(std::string_view content);
  [[nodiscard]] Status write(const std::vector<report::sinks::XlsxSheet>& sheets);
  // A trace that had `before` events before it was annotated.
  [[nodiscard]] Status write(const trace::Trace& trace, std::size_t before);
  // The files of a folder, which are written by close().
  void hold(std::vector<report::sinks::CsvFile> files);

 private:
  friend class ExtraOutputs;
  [[nodiscard]] std::string_view option_name() const;
  // Or a folder, which is made and filled by close().
  [[nodiscard]] bool is_file() const { return kind_ != OutputKind::kTables; }
  [[nodiscard]] bool is_printed_report(std::span<const std::string> inputs) const;
  [[nodiscard]] Status open(std::span<const std::string> inputs);
  [[nodiscard]] Status close();

  OutputKind kind_;
  Option option_;
  std::optional<std::string> path_;
  std::unique_ptr<io::ByteSink> sink_;
  std::vector<report::sinks::CsvFile> files_;
  std::string what_;  // was written, for the line on it
};

// All extra outputs of a command, in the order of their lines.
class ExtraOutputs {
 public:
  ExtraOutputs(std::initializer_list<ExtraOutput*> outputs) : outputs_(outputs) {}

  // Before the reading: an output that cannot be written is told at once. A usage error for an
  // empty name, for standard output, where the report goes, for a name that is an input or a log
  // of one, for one that does not fit its kind, and for two outputs that are one file or
  // may be, where one is a folder.
  [[nodiscard]] Status open(std::span<const std::string> inputs);
  // After the reading: a directory among the inputs names its files only then.
  [[nodiscard]] Status check(std::span<const formats::input::InputFacts> inputs) const;
  // Gives all of them their names. Called when everything that a command has to say is made, so
  // that a failure of anything leaves no output.
  [[nodiscard]] Status close();

  [[nodiscard]] bool is_any_asked() const;
  // `report`, and below it a line on each file that was written.
  [[nodiscard]] std::string with_lines(std::string report) const;

 private:
  [[nodiscard]] std::vector<ExtraOutput*> asked() const;

  std::vector<ExtraOutput*> outputs_;
};

}  // namespace lockstep::cli
