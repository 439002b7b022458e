// What the name of an output may be, and folders of files as an output.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/input/load.h"
#include "report/sinks/csv_text.h"

namespace lockstep::cli {

// A usage error where writing `path` would change what reading `input` reads: it is the same file,
// or has the name of a log beside a database.
[[nodiscard]] Status check_no_input(std::string_view option, const std::string& path,
                                    const std::string& input);

// A usage error for an empty name, for standard output, where the report goes, and for an input.
[[nodiscard]] Status check_extra_output(std::string_view option, const std::string& path,
                                        std::span<const std::string> inputs);
// The same for files that a directory among the inputs turned out to hold.
[[nodiscard]] Status check_extra_output(std::string_view option, const std::string& path,
                                        std::span<const formats::input::InputFacts> inputs);

// A usage error where two outputs would replace the same file, links followed. One may be a folder,
// of which only the kind of files is known: tables as CSV.
struct NamedOutput {
  std::string_view option;
  const std::string& path;
  bool is_folder = false;
};
[[nodiscard]] Status check_two_outputs(const NamedOutput& one, const NamedOutput& other);

// A usage error where `path` does not end in .xlsx: spreadsheets do not open it then.
[[nodiscard]] Status check_xlsx_name(const std::string& path);

// Every file into `folder`, which is made where it is missing. Each appears whole or not at all,
// and none before most are written; others that lie there stay.
[[nodiscard]] Status write_folder(const std::string& folder,
                                  std::span<const report::sinks::CsvFile> files);

}  // namespace lockstep::cli
